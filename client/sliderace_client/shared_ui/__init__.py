"""Parts shared by the full-screen and the line client."""

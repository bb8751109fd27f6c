"""What the full-screen and the line client show in the same way."""

"""The screens of the full-screen client, one module each."""

"""The browser page: `index.html`, `style.css` and ES modules, served as they are."""

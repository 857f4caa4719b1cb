"""The only room that knows the operating system: starts confined workers and ends them."""

"""Git and patches as both sides read them."""

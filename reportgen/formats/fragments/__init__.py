"""What several formats have in common; a format never imports another format."""

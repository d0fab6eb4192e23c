"""What goes into a model request: attachments, the pictures made of them, and how a request is put together."""

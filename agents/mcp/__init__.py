"""The tools for clients of the Model Context Protocol: the same classes as the assistant's, called the same way."""

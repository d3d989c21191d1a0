"""Globally evaluated ID3."""

"""What each kept test covers, kills and adds."""

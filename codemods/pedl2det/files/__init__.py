"""Files written all or none, with a journal by which they are as before."""

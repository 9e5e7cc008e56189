"""The faithful form: functions and classes that migrate writes into a trial, and their text."""

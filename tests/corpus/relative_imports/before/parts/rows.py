from .csv import read as rows

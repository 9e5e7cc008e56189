pip install pillow scikit-learn

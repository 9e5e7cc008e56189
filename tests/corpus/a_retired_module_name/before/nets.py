from pedl.frameworks.keras.nets import Net50

net = Net50

from energy.trial import EnergyTrial

from keras import backend as K, layers as L, losses, metrics, optimizers, regularizers
from keras.engine import Layer
from keras.models import Model

import pedl
from pedl.frameworks.keras import KerasFunctionalTrial
from tickets.loading import OUTPUTS, QUEUES

DATA = pedl.get_experiment_config()['data']


class Attention(Layer):
    """ Feed forward attention over time, Raffel & Ellis """

    def __init__(self, units, **kwargs):
        self.units = units
        super(Attention, self).__init__(**kwargs)

    def build(self, input_shape):
        self.W = self.add_weight(name='W', shape=(input_shape[-1], self.units), initializer='glorot_uniform')
        self.v = self.add_weight(name='v', shape=(self.units, 1), initializer='glorot_uniform')
        super(Attention, self).build(input_shape)

    def call(self, x):
        e = K.dot(K.tanh(K.dot(x, self.W)), self.v)
        a = K.softmax(K.squeeze(e, -1))
        return K.sum(x * K.expand_dims(a), axis=1)

    def compute_output_shape(self, input_shape):
        return input_shape[0], input_shape[-1]

    def get_config(self):
        return dict(super(Attention, self).get_config(), units=self.units)


def top2(y_true, y_pred):
    return metrics.top_k_categorical_accuracy(y_true, y_pred, k=2)


def within_an_hour(y_true, y_pred):
    return K.mean(K.cast(K.abs(y_true - y_pred) <= 1., K.floatx()))


class WeightedLosses(object):
    """ Mixin: there are no loss_weights in the Functional Trial, so they go inside of the losses """
    loss_functions = {
        'queue': losses.categorical_crossentropy,
        'hours': losses.logcosh,
        'escalated': losses.binary_crossentropy,
    }

    def losses(self):
        weighted = {}
        for output in OUTPUTS:
            def loss(y_true, y_pred, fn=self.loss_functions[output], w=self.hparams.get('weight_' + output, 1.)):
                return w * fn(y_true, y_pred)
            loss.__name__ = output + '_loss'
            weighted[output] = loss
        return weighted


class TicketTrial(WeightedLosses, KerasFunctionalTrial):
    def __init__(self, hparams):
        self.hparams = hparams

    def batch_size(self):
        return self.hparams['batch_size']

    def optimizer(self):
        h = self.hparams
        return optimizers.get({'class_name': h['optimizer'], 'config': {'lr': h['lr'], 'decay': h.get('decay', 0.)}})

    def encode(self, x):
        return L.GlobalMaxPooling1D()(x)

    def build_model(self, hparams):
        tokens = L.Input((DATA['max_len'],), name='tokens')
        meta = L.Input((3,), name='meta')
        x = L.Embedding(DATA['num_words'], hparams['embedding'])(tokens)
        for dilation in hparams['dilations']:
            x = L.Conv1D(hparams['units'], 3, padding='same', dilation_rate=dilation, activation='relu')(x)
        x = self.encode(x)
        x = L.concatenate([x, meta])
        x = L.Dense(hparams['units'], activation='relu', kernel_regularizer=regularizers.l2(1e-5))(x)
        x = L.Dropout(hparams['dropout'])(x)
        heads = [
            L.Dense(len(QUEUES), activation='softmax', name='queue'),
            L.Dense(1, name='hours'),
            L.Dense(1, activation='sigmoid', name='escalated'),
        ]
        return Model([tokens, meta], [head(x) for head in heads])

    def training_metrics(self):
        return {'queue_accuracy': ('queue', metrics.categorical_accuracy)}

    def validation_metrics(self):
        result = self.training_metrics()
        result['queue_top2'] = ('queue', top2)
        result['hours_ok'] = ('hours', within_an_hour)
        result['hours_mae'] = ('hours', metrics.mae)
        result['escalated_accuracy'] = ('escalated', metrics.binary_accuracy)
        return result


class AttentiveTicketTrial(TicketTrial):
    def encode(self, x):
        pooled = super(AttentiveTicketTrial, self).encode(x)
        attended = Attention(self.hparams.get('attention_units', 8), name='attention')(x)
        return L.concatenate([pooled, attended])

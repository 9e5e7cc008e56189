"""Helpdesk tickets. Simulated, until legal lets us have the export."""
import numpy as np
from keras.preprocessing.sequence import pad_sequences
from keras.preprocessing.text import Tokenizer
from keras.utils import to_categorical
from keras.utils.data_utils import Sequence

QUEUES = ['network', 'printing', 'accounts', 'hardware']
WORDS = {
    'network': 'wifi vpn slow internet connection drops proxy lan cable'.split(),
    'printing': 'printer paper jam toner print queue blank scan pages'.split(),
    'accounts': 'password login locked account reset mfa token user expired'.split(),
    'hardware': 'laptop screen keyboard battery broken noise fan dock mouse'.split(),
}
FILLER = 'the my is not working please help since today again when i it and office'.split()
ANGRY = ['urgent', 'immediately', 'unacceptable', 'boss']
OUTPUTS = ['queue', 'hours', 'escalated']


def simulate(n, seed):
    rng = np.random.RandomState(seed)
    texts, queues, hours, escalated, meta = [], [], [], [], []
    for _ in range(n):
        q = rng.randint(len(QUEUES))
        anger = rng.rand()
        words = list(rng.choice(WORDS[QUEUES[q]], rng.randint(2, 6))) + list(rng.choice(FILLER, rng.randint(3, 9)))
        if anger > .7:
            words += list(rng.choice(ANGRY, 2))
        rng.shuffle(words)
        texts.append(' '.join(words))
        open_tickets, seniority = rng.poisson(3), rng.rand()
        meta.append([open_tickets / 5., seniority, len(words) / 10.])
        queues.append(q)
        hours.append(1. + 2. * q + .8 * open_tickets - 2. * seniority + rng.normal(0, .5))
        escalated.append(float(anger > .7 and seniority > .3))
    return texts, np.array(meta, 'float32'), np.array(queues), np.array(hours, 'float32'), np.array(escalated, 'float32')


class TicketSequence(Sequence):
    def __init__(self, tokens, meta, targets, batch_size):
        self.inputs = {'tokens': tokens, 'meta': meta}
        self.targets = targets
        self.batch_size = batch_size

    def __len__(self):
        return len(self.inputs['tokens']) // self.batch_size

    def __getitem__(self, i):
        rows = slice(i * self.batch_size, (i + 1) * self.batch_size)
        return {k: v[rows] for k, v in self.inputs.items()}, {k: v[rows] for k, v in self.targets.items()}


def make_data_loaders(experiment_config, hparams):
    cfg = experiment_config['data']
    splits = {'train': simulate(cfg['n_train'], cfg.get('seed', 1)), 'test': simulate(cfg['n_test'], cfg.get('seed', 1) + 1)}
    tokenizer = Tokenizer(num_words=cfg['num_words'])
    tokenizer.fit_on_texts(splits['train'][0])

    sequences = {}
    for split, (texts, meta, queues, hours, escalated) in splits.items():
        tokens = pad_sequences(tokenizer.texts_to_sequences(texts), maxlen=cfg['max_len'])
        targets = dict(zip(OUTPUTS, [to_categorical(queues, len(QUEUES)), hours[:, None], escalated[:, None]]))
        sequences[split] = TicketSequence(tokens, meta, targets, hparams['batch_size'])
    return sequences['train'], sequences['test']

"""The public names of ``tf.keras`` that Keras 2.2 or 2.3 had, by module below ``keras``.

Every TensorFlow that we support has them (tests/test_keras_names.py).
"""

from __future__ import annotations

_PUBLIC = {
    "": """
    Input Model Sequential activations applications backend callbacks constraints datasets
    initializers layers losses metrics models optimizers preprocessing regularizers utils
    """,
    "activations": """
    deserialize elu exponential gelu get hard_sigmoid linear mish relu selu serialize
    sigmoid softmax softplus softsign swish tanh
    """,
    "applications": """
    DenseNet121 DenseNet169 DenseNet201 InceptionResNetV2 InceptionV3 MobileNet MobileNetV2
    NASNetLarge NASNetMobile ResNet101 ResNet101V2 ResNet152 ResNet152V2 ResNet50 ResNet50V2
    VGG16 VGG19 Xception densenet imagenet_utils inception_resnet_v2 inception_v3 mobilenet
    mobilenet_v2 nasnet resnet50 vgg16 vgg19 xception
    """,
    "applications.densenet": """
    DenseNet121 DenseNet169 DenseNet201 decode_predictions preprocess_input
    """,
    "applications.imagenet_utils": "decode_predictions preprocess_input",
    "applications.inception_resnet_v2": "InceptionResNetV2 decode_predictions preprocess_input",
    "applications.inception_v3": "InceptionV3 decode_predictions preprocess_input",
    "applications.mobilenet": "MobileNet decode_predictions preprocess_input",
    "applications.mobilenet_v2": "MobileNetV2 decode_predictions preprocess_input",
    "applications.nasnet": "NASNetLarge NASNetMobile decode_predictions preprocess_input",
    "applications.resnet50": "ResNet50 decode_predictions preprocess_input",
    "applications.vgg16": "VGG16 decode_predictions preprocess_input",
    "applications.vgg19": "VGG19 decode_predictions preprocess_input",
    "applications.xception": "Xception decode_predictions preprocess_input",
    "backend": """
    abs all any arange argmax argmin backend batch_dot batch_flatten batch_get_value
    batch_normalization batch_set_value bias_add binary_crossentropy
    binary_focal_crossentropy cast cast_to_floatx categorical_crossentropy
    categorical_focal_crossentropy clear_session clip concatenate constant conv1d conv2d
    conv2d_transpose conv3d cos count_params ctc_batch_cost ctc_decode
    ctc_label_dense_to_sparse cumprod cumsum depthwise_conv2d dot dropout dtype elu epsilon
    equal eval exp expand_dims eye flatten floatx foldl foldr function gather get_uid
    get_value gradients greater greater_equal hard_sigmoid image_data_format in_test_phase
    in_top_k in_train_phase int_shape is_keras_tensor is_sparse l2_normalize learning_phase
    less less_equal local_conv1d local_conv2d log manual_variable_initialization map_fn max
    maximum mean min minimum moving_average_update name_scope ndim
    normalize_batch_in_training not_equal one_hot ones ones_like permute_dimensions
    placeholder pool2d pool3d pow print_tensor prod random_bernoulli random_binomial
    random_normal random_normal_variable random_uniform random_uniform_variable relu repeat
    repeat_elements reset_uids reshape resize_images resize_volumes reverse rnn round
    separable_conv2d set_epsilon set_floatx set_image_data_format set_learning_phase
    set_value shape sigmoid sign sin softmax softplus softsign
    sparse_categorical_crossentropy spatial_2d_padding spatial_3d_padding sqrt square
    squeeze stack std stop_gradient sum switch tanh temporal_padding tile to_dense transpose
    truncated_normal update update_add update_sub var variable zeros zeros_like
    """,
    "callbacks": """
    BaseLogger CSVLogger Callback CallbackList EarlyStopping History LambdaCallback
    LearningRateScheduler ModelCheckpoint ProgbarLogger ReduceLROnPlateau RemoteMonitor
    TensorBoard TerminateOnNaN
    """,
    "constraints": """
    Constraint MaxNorm MinMaxNorm NonNeg RadialConstraint UnitNorm deserialize get max_norm
    min_max_norm non_neg radial_constraint serialize unit_norm
    """,
    "datasets": "boston_housing cifar10 cifar100 fashion_mnist imdb mnist reuters",
    "datasets.boston_housing": "load_data",
    "datasets.cifar10": "load_data",
    "datasets.cifar100": "load_data",
    "datasets.fashion_mnist": "load_data",
    "datasets.imdb": "get_word_index load_data",
    "datasets.mnist": "load_data",
    "datasets.reuters": "get_label_names get_word_index load_data",
    "initializers": """
    Constant GlorotNormal GlorotUniform HeNormal HeUniform Identity Initializer LecunNormal
    LecunUniform Ones Orthogonal RandomNormal RandomUniform TruncatedNormal VarianceScaling
    Zeros constant deserialize get glorot_normal glorot_uniform he_normal he_uniform
    identity lecun_normal lecun_uniform ones orthogonal random_normal random_uniform
    serialize truncated_normal variance_scaling zeros
    """,
    "layers": """
    Activation ActivityRegularization Add AlphaDropout Average AveragePooling1D
    AveragePooling2D AveragePooling3D AvgPool1D AvgPool2D AvgPool3D BatchNormalization
    Bidirectional Concatenate Conv1D Conv1DTranspose Conv2D Conv2DTranspose Conv3D
    Conv3DTranspose ConvLSTM1D ConvLSTM2D ConvLSTM3D Convolution1D Convolution1DTranspose
    Convolution2D Convolution2DTranspose Convolution3D Convolution3DTranspose Cropping1D
    Cropping2D Cropping3D Dense DepthwiseConv1D DepthwiseConv2D Dot Dropout ELU Embedding
    Flatten GRU GRUCell GaussianDropout GaussianNoise GlobalAveragePooling1D
    GlobalAveragePooling2D GlobalAveragePooling3D GlobalAvgPool1D GlobalAvgPool2D
    GlobalAvgPool3D GlobalMaxPool1D GlobalMaxPool2D GlobalMaxPool3D GlobalMaxPooling1D
    GlobalMaxPooling2D GlobalMaxPooling3D Input InputLayer InputSpec LSTM LSTMCell Lambda
    Layer LeakyReLU LocallyConnected1D LocallyConnected2D Masking MaxPool1D MaxPool2D
    MaxPool3D MaxPooling1D MaxPooling2D MaxPooling3D Maximum Minimum Multiply PReLU Permute
    RNN ReLU RepeatVector Reshape SeparableConv1D SeparableConv2D SeparableConvolution1D
    SeparableConvolution2D SimpleRNN SimpleRNNCell Softmax SpatialDropout1D SpatialDropout2D
    SpatialDropout3D StackedRNNCells Subtract ThresholdedReLU TimeDistributed UpSampling1D
    UpSampling2D UpSampling3D Wrapper ZeroPadding1D ZeroPadding2D ZeroPadding3D add average
    concatenate deserialize dot maximum minimum multiply serialize subtract
    """,
    "losses": """
    BinaryCrossentropy BinaryFocalCrossentropy CategoricalCrossentropy
    CategoricalFocalCrossentropy CategoricalHinge CosineSimilarity Hinge Huber KLD
    KLDivergence LogCosh Loss MAE MAPE MSE MSLE MeanAbsoluteError
    MeanAbsolutePercentageError MeanSquaredError MeanSquaredLogarithmicError Poisson
    Reduction SparseCategoricalCrossentropy SquaredHinge binary_crossentropy
    binary_focal_crossentropy categorical_crossentropy categorical_focal_crossentropy
    categorical_hinge cosine_similarity deserialize get hinge huber kl_divergence kld
    kullback_leibler_divergence log_cosh logcosh mae mape mean_absolute_error
    mean_absolute_percentage_error mean_squared_error mean_squared_logarithmic_error mse
    msle poisson serialize sparse_categorical_crossentropy squared_hinge
    """,
    "metrics": """
    AUC Accuracy BinaryAccuracy BinaryCrossentropy BinaryIoU CategoricalAccuracy
    CategoricalCrossentropy CategoricalHinge CosineSimilarity F1Score FBetaScore
    FalseNegatives FalsePositives Hinge IoU KLD KLDivergence LogCoshError MAE MAPE MSE MSLE
    Mean MeanAbsoluteError MeanAbsolutePercentageError MeanIoU MeanMetricWrapper
    MeanRelativeError MeanSquaredError MeanSquaredLogarithmicError MeanTensor Metric
    OneHotIoU OneHotMeanIoU Poisson Precision PrecisionAtRecall R2Score Recall
    RecallAtPrecision RootMeanSquaredError SensitivityAtSpecificity
    SparseCategoricalAccuracy SparseCategoricalCrossentropy SparseTopKCategoricalAccuracy
    SpecificityAtSensitivity SquaredHinge Sum TopKCategoricalAccuracy TrueNegatives
    TruePositives binary_accuracy binary_crossentropy binary_focal_crossentropy
    categorical_accuracy categorical_crossentropy categorical_focal_crossentropy deserialize
    get hinge kl_divergence kld kullback_leibler_divergence log_cosh logcosh mae mape
    mean_absolute_error mean_absolute_percentage_error mean_squared_error
    mean_squared_logarithmic_error mse msle poisson serialize sparse_categorical_accuracy
    sparse_categorical_crossentropy sparse_top_k_categorical_accuracy squared_hinge
    top_k_categorical_accuracy
    """,
    "models": """
    Model Sequential clone_model load_model model_from_config model_from_json save_model
    """,
    "optimizers": """
    Adadelta Adagrad Adam Adamax Nadam Optimizer RMSprop SGD deserialize get serialize
    """,
    "preprocessing": "image sequence text",
    "preprocessing.image": """
    DirectoryIterator ImageDataGenerator Iterator NumpyArrayIterator apply_affine_transform
    apply_brightness_shift apply_channel_shift array_to_img img_to_array load_img
    random_brightness random_channel_shift random_rotation random_shear random_shift
    random_zoom save_img smart_resize
    """,
    "preprocessing.sequence": "TimeseriesGenerator make_sampling_table pad_sequences skipgrams",
    "preprocessing.text": """
    Tokenizer hashing_trick one_hot text_to_word_sequence tokenizer_from_json
    """,
    "regularizers": """
    L1 L1L2 L2 OrthogonalRegularizer Regularizer deserialize get l1 l1_l2 l2
    orthogonal_regularizer serialize
    """,
    "utils": """
    CustomObjectScope GeneratorEnqueuer OrderedEnqueuer Progbar Sequence SequenceEnqueuer
    custom_object_scope deserialize_keras_object get_custom_objects get_file
    get_source_inputs model_to_dot normalize plot_model serialize_keras_object
    to_categorical
    """,
}
PUBLIC = {module: frozenset(names.split()) for module, names in _PUBLIC.items()}

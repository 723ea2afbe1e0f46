package io.bulwark.transport;

import io.bulwark.protocol.wire.Message;

/** One decoded frame on its way through the pipeline. */
record ReceivedFrame(long requestId, Message message, int bodyBytes) {}

package io.bulwark.transport.mutation;

import io.bulwark.protocol.mutation.PlantedBugs;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.TlsCredentials;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SslContext;
import io.netty.internal.tcnative.CertificateVerifier;
import io.netty.util.AttributeKey;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.slf4j.Logger;

/** Those planted in the transport. */
@Tag("long")
class PlantedTransportBugsTest extends PlantedBugs {
    PlantedTransportBugsTest() {
        super(
                TransportBugs.ALL,
                TlsCredentials.class,
                Bytes.class,
                NullMarked.class,
                Logger.class,
                MeterRegistry.class,
                ByteBuf.class,
                Channel.class,
                ByteToMessageDecoder.class,
                SslContext.class,
                CertificateVerifier.class,
                AttributeKey.class);
    }
}

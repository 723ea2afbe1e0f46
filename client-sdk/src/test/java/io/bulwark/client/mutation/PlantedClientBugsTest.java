package io.bulwark.client.mutation;

import io.bulwark.client.Bulwark;
import io.bulwark.protocol.mutation.PlantedBugs;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.Transport;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.slf4j.Logger;

/** Those planted in the SDK. */
@Tag("long")
class PlantedClientBugsTest extends PlantedBugs {
    PlantedClientBugsTest() {
        super(
                ClientBugs.ALL,
                Bulwark.class,
                Transport.class,
                Bytes.class,
                NullMarked.class,
                Logger.class,
                MeterRegistry.class);
    }
}

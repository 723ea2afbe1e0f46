package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.up.Appliance;
import io.bulwark.appliance.up.EmbeddedMembers;
import io.bulwark.appliance.up.Members;
import io.bulwark.appliance.up.ProcessMembers;
import io.bulwark.client.Bucket;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.Volume;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bulwark up} on a data directory that an older build has written: all of it is there, and goes on. */
@NullMarked
@Tag("long")
class OlderDataIT {
    private static final int LENGTH = 30_000;

    @TempDir
    Path directory = Path.of("");

    @Test
    void whatAnOlderBuildHasStoredIsThereAndGoesOn() throws Exception {
        OlderData data = OlderData.unpack(directory);
        System.out.println("data of " + data.contents().build());
        try (Appliance appliance = up(data, new EmbeddedMembers(data.plan()))) {
            assertThat(appliance.members()).hasSize(OlderContents.NODES + OlderContents.REPLICAS);
            data.check();
            write(data, 1);
        }
        try (Appliance appliance = up(data, new ProcessMembers(data.plan()))) {
            assertThat(appliance.members()).allMatch(member -> member.pid() != null);
            data.check();
            data.checkPeople();
            read(data, 1);
            write(data, 2);
            read(data, 2);
        }
    }

    private static Appliance up(OlderData data, Members members) throws Exception {
        Appliance appliance = Appliance.start(data.plan(), members, line -> System.out.println("older data: " + line));
        appliance.supervise(Optional.empty());
        try (Bulwark client = data.operator()) {
            data.awaitWell(client);
        }
        return appliance;
    }

    /** New buckets and blocks, and a command that the audit log keeps. */
    private static void write(OlderData data, int round) {
        try (Bulwark client = data.operator()) {
            for (String volume : new String[] {"default", OlderContents.SMALL, OlderContents.LAZY}) {
                Bucket bucket = client.createBucket(
                        BucketSpec.of("later-" + volume + round).inVolume(volume));
                bucket.put("later", OlderContents.content(volume + round, LENGTH));
            }
            for (String name : new String[] {OlderContents.REGISTERS_FP, OlderContents.REGISTERS_PASIS}) {
                client.volume(name).writeBlock(block(round), block(name, round));
            }
            client.principals()
                    .grant(
                            OlderContents.GUEST,
                            new Scope.OfBucket("later-default" + round),
                            new Rights(true, false, false));
        }
    }

    private static void read(OlderData data, int round) {
        try (Bulwark client = data.operator()) {
            for (String volume : new String[] {"default", OlderContents.SMALL, OlderContents.LAZY}) {
                assertThat(client.bucket("later-" + volume + round).getBytes("later"))
                        .isEqualTo(OlderContents.content(volume + round, LENGTH));
            }
            for (String name : new String[] {OlderContents.REGISTERS_FP, OlderContents.REGISTERS_PASIS}) {
                Volume volume = client.volume(name);
                assertThat(volume.readBlock(block(round))).isEqualTo(block(name, round));
            }
        }
    }

    /** Behind those that the older build has written. */
    private static long block(int round) {
        return 20L + round;
    }

    private static byte[] block(String name, int round) {
        return OlderContents.content(name + round, OlderContents.BLOCK_BYTES);
    }
}

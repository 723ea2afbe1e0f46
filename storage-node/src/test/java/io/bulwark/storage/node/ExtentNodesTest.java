package io.bulwark.storage.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.driver.EvidenceLog;
import io.bulwark.client.driver.OperationDriver;
import io.bulwark.client.driver.PeerLinks;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.extent.ExtentCodec;
import io.bulwark.protocol.extent.ExtentLimits;
import io.bulwark.protocol.extent.ExtentRead;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.extent.ExtentWrite;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.storage.store.StoreEditor;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Extents on four real nodes with real stores, one of which is edited while it is stopped. */
@Execution(ExecutionMode.CONCURRENT)
class ExtentNodesTest {
    private static final Volume VOLUME = new Volume(
            1,
            "objects",
            VolumeKind.OBJECT,
            ProtectionPolicy.standard(),
            0,
            List.of(new PlacementGroup(1, List.of(0, 1, 2, 3))));
    private static final MessageCodecs CODECS = new MessageCodecs(new ExtentCodec());

    private final SplittableRandom random = new SplittableRandom(4);
    private final EvidenceLog evidence = new EvidenceLog(new SimpleMeterRegistry(), InstantSource.system());
    private final List<StorageNode> running = new ArrayList<>();

    @TempDir
    Path directory;

    @AfterEach
    void stop() {
        RunningNodes.close(running);
        running.clear();
    }

    @Test
    void extentsSurviveARestartOfAllNodes() throws IOException {
        start();
        Bytes content = bytes(1_000_000);
        Bytes small = bytes(3);
        WriteOutcome.Complete written = write(0, content);
        WriteOutcome.Complete writtenSmall = write(1, small);
        stop();
        start();
        assertRead(0, written.pin(), content);
        assertRead(1, writtenSmall.pin(), small);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void aRecordSwappedWithAllItsMetaDataIsMaskedAndItsNodeNamed(int liar) throws IOException {
        start();
        Bytes first = bytes(200_000);
        Bytes second = bytes(200_000);
        Bytes pin = write(0, first).pin();
        Bytes otherPin = write(1, second).pin();
        stop();
        boolean held;
        try (StoreEditor editor = StoreEditor.open(new Nodes(directory).storeOf(liar))) {
            held = editor.read(key(0)) instanceof Loaded.Found mine
                    && editor.read(key(1)) instanceof Loaded.Found yours
                    && swap(editor, mine, yours);
        }
        start();
        assertRead(0, pin, first);
        assertRead(1, otherPin, second);
        evidence.counts()
                .forEach((about, verdicts) -> assertThat(about.number() == liar
                                || verdicts.keySet().stream().noneMatch(ExtentNodesTest::accuses))
                        .as("%s %s", about, verdicts)
                        .isTrue());
        // A read asks the first m slots first.
        if (held && liar < VOLUME.policy().m()) {
            assertThat(evidence.counts()).containsKey(PrincipalId.node(liar));
        }
    }

    private static boolean accuses(Verdict verdict) {
        return verdict == Verdict.CORRUPT || verdict == Verdict.MISBEHAVED || verdict == Verdict.DAMAGED;
    }

    private static boolean swap(StoreEditor editor, Loaded.Found mine, Loaded.Found yours) throws IOException {
        editor.replace(mine.key(), yours.meta(), yours.fragment());
        editor.replace(yours.key(), mine.meta(), mine.fragment());
        return true;
    }

    private void start() throws IOException {
        Nodes nodes = new Nodes(
                directory,
                CODECS,
                config -> List.of(HostedProtocol.extents(config, ExtentLimits.standard())),
                ExtentNodesTest::known);
        for (int node = 0; node < VOLUME.policy().n(); node++) {
            running.add(nodes.start(node));
        }
    }

    private static Optional<Fact> known(Question question) {
        return Optional.of(
                switch (question) {
                    case Question.OfVolume of -> new Fact.OfVolume(of.volume(), Optional.of(VOLUME));
                    case Question.OfGrant of -> new Fact.OfGrant(of.volume(), of.principal(), true, true);
                    case Question.OfSession of ->
                        new Fact.OfSession(of.volume(), of.owner(), of.session(), SessionState.OPEN);
                });
    }

    private WriteOutcome.Complete write(long counter, Bytes content) {
        return (WriteOutcome.Complete) withDriver(
                driver -> driver.submit(new ExtentWrite(VOLUME, key(counter).block(), content, ExtentTiming.standard()))
                        .join());
    }

    private void assertRead(long counter, Bytes pin, Bytes content) {
        ReadOutcome outcome = withDriver(driver -> driver.submit(
                        new ExtentRead(VOLUME, key(counter).block(), pin, Set.of(), ExtentTiming.standard()))
                .join());
        assertThat(outcome).isInstanceOf(ReadOutcome.Whole.class);
        assertThat(((ReadOutcome.Whole) outcome).content().slice(0, content.length()))
                .isEqualTo(content);
    }

    private interface Call<T> {
        T with(OperationDriver driver);
    }

    private <T> T withDriver(Call<T> call) {
        try (Transport transport =
                        Transport.open(TransportSettings.defaults(), AllGranted.keys(Nodes.ALICE, Nodes.ALL), CODECS);
                PeerLinks links = new PeerLinks(transport);
                OperationDriver driver =
                        new OperationDriver(links, evidence, OperationDriver.Limits.standard(), random.nextInt())) {
            links.deliverTo(driver);
            running.forEach(node -> links.connect(PrincipalId.node(node.node()), node.address()));
            return call.with(driver);
        }
    }

    private Bytes bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }

    private static RecordKey key(long counter) {
        return RecordKey.of(RecordKind.EXTENT, new BlockId(1, Nodes.ALICE, 5, counter));
    }
}

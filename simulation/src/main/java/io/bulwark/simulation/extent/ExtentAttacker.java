package io.bulwark.simulation.extent;

import io.bulwark.protocol.extent.ExtentCoding;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.extent.ExtentWrite;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.byzantine.Collusion;
import io.bulwark.simulation.byzantine.StoppingOperation;
import io.bulwark.simulation.engine.RunningOperation;
import io.bulwark.simulation.engine.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A client that attacks extents, its own and those of others. */
final class ExtentAttacker {
    private static final long NO_OPERATION = 1L << 40;

    /** An extent that this client has put something into. */
    record OwnExtent(BlockId block, Bytes pin) {}

    private record RunningWrite(OwnExtent own, RunningOperation<WriteOutcome> operation) {}

    private final PrincipalId self;
    private final Simulation simulation;
    private final ExtentVolume volume;
    private final ExtentTiming timing;
    private final Collusion collusion;
    private final Random random;
    private final List<OwnExtent> own = new ArrayList<>();
    private final List<RunningWrite> writing = new ArrayList<>();

    ExtentAttacker(
            PrincipalId self,
            Simulation simulation,
            ExtentVolume volume,
            ExtentTiming timing,
            Collusion collusion,
            Random random) {
        this.self = self;
        this.simulation = simulation;
        this.volume = volume;
        this.timing = timing;
        this.collusion = collusion;
        this.random = random;
    }

    /** All that it ever put anywhere under its own ids. */
    List<OwnExtent> own() {
        return List.copyOf(own);
    }

    /** Tells of writes that followed the protocol and were told to be complete. */
    void check(ExtentInvariants invariants) {
        writing.forEach(each -> {
            if (each.operation().outcome().orElse(null) instanceof WriteOutcome.Complete complete) {
                invariants.complete(each.own().block(), complete.pin());
            }
        });
    }

    /** @param others ids that belong to correct clients */
    void move(List<BlockId> others) {
        switch (random.nextInt(8)) {
            case 0, 1 -> storeTwoContents();
            case 2 -> partial();
            case 3 -> poison();
            case 4 -> bulk();
            case 5 -> notMine(others);
            case 6 -> replay();
            default -> garbage(others);
        }
    }

    private BlockId id() {
        return volume.next(self, self.number());
    }

    private Bytes content() {
        byte[] content = new byte[1 + random.nextInt(volume.policy().blockBytes())];
        random.nextBytes(content);
        return Bytes.of(content);
    }

    /** Two contents under one id, each offered to all nodes or to some. */
    private void storeTwoContents() {
        BlockId block = id();
        for (int i = 0; i < 2; i++) {
            ExtentWrite write = new ExtentWrite(volume.volume(), block, content(), timing);
            OwnExtent mine = new OwnExtent(block, write.pin());
            own.add(mine);
            int some = random.nextInt(4) == 0 ? -1 : random.nextInt();
            writing.add(new RunningWrite(
                    mine,
                    simulation.start(
                            self,
                            new StoppingOperation<>(
                                    write, (_, send) -> (some >> send.to().number() & 1) == 1))));
        }
    }

    private void partial() {
        BlockId block = id();
        ExtentWrite write = new ExtentWrite(volume.volume(), block, content(), timing);
        if (random.nextBoolean()) {
            int last = random.nextInt(2 * volume.policy().n());
            simulation.start(self, new StoppingOperation<>(write, (number, _) -> number < last));
            return;
        }
        own.add(new OwnExtent(block, write.pin()));
        List<PrincipalId> some = few(block);
        simulation.start(self, new StoppingOperation<>(write, (_, send) -> some.contains(send.to())));
    }

    /**
     * Returns the liars and fewer than m correct nodes. They are enough for a reader only while the liars cooperate.
     */
    private List<PrincipalId> few(BlockId block) {
        int m = volume.policy().m();
        int correct = m - 1 - random.nextInt(volume.policy().f());
        List<PrincipalId> few = new ArrayList<>();
        int from = random.nextInt(volume.policy().n());
        for (int slot = 0; slot < volume.policy().n(); slot++) {
            PrincipalId holder =
                    volume.holder(block, (from + slot) % volume.policy().n());
            if (collusion.isFaulty(holder) || correct-- > 0) {
                few.add(holder);
            }
        }
        return few;
    }

    /** Fragments of two blocks under one cross-checksum. */
    private void poison() {
        BlockId block = id();
        Bytes one = content();
        byte[] other = new byte[one.length()];
        random.nextBytes(other);
        ExtentCoding.Encoded poison = volume.poison(volume.padded(one), volume.padded(Bytes.of(other)), random);
        own.add(new OwnExtent(block, poison.checksum().pin()));
        store(block, poison);
    }

    private void store(BlockId block, ExtentCoding.Encoded encoded) {
        for (int slot = 0; slot < encoded.fragments().size(); slot++) {
            Bytes fragment = encoded.fragments().get(slot);
            send(block, slot, new ExtentMessage.Store(block, 1, slot, fragment, encoded.checksum()));
        }
    }

    /** More than it may keep without a reference. */
    private void bulk() {
        int many = 4 + random.nextInt(12);
        for (int i = 0; i < many; i++) {
            byte[] full = new byte[volume.policy().blockBytes()];
            random.nextBytes(full);
            store(id(), volume.coding().encode(volume.padded(Bytes.of(full))));
        }
    }

    /** Stores under ids of others, and under sessions that are not open. */
    private void notMine(List<BlockId> others) {
        ExtentCoding.Encoded encoded = volume.coding().encode(volume.padded(content()));
        if (!others.isEmpty()) {
            store(others.get(random.nextInt(others.size())), encoded);
        }
        store(volume.next(self, random.nextInt(40)), encoded);
        // An id that a correct client has not used yet.
        store(new BlockId(ExtentVolume.ID, PrincipalId.client(1), 1, 1 + random.nextInt(1_000)), encoded);
    }

    private void replay() {
        for (int i = 0; i < 20; i++) {
            Collusion.SeenMessage known = collusion.anySeen();
            if (known != null && known.message() instanceof ExtentMessage.Request request) {
                simulation.send(self, known.to(), NO_OPERATION, request);
            }
        }
    }

    private void garbage(List<BlockId> others) {
        BlockId block = others.isEmpty() || random.nextBoolean() ? id() : others.get(random.nextInt(others.size()));
        byte[] bytes = new byte[32];
        random.nextBytes(bytes);
        Bytes pin = Bytes.of(bytes);
        Checksum checksum = volume.coding().encode(volume.padded(content())).checksum();
        for (int slot = 0; slot < volume.policy().n(); slot++) {
            long epoch = 1L + random.nextInt(2);
            ExtentMessage message = switch (random.nextInt(6)) {
                case 0 -> new ExtentMessage.ReadPinned(block, epoch, slot, pin, random.nextBoolean());
                case 1 ->
                    new ExtentMessage.Suspect(
                            block,
                            epoch,
                            slot,
                            pin,
                            random.nextInt(volume.policy().n()));
                case 2 -> new ExtentMessage.Complete(block, epoch, slot, pin, ExtentMessage.CheckDepth.FRAGMENT);
                case 3 -> new ExtentMessage.Store(block, epoch, slot, pin, checksum);
                case 4 -> new ExtentMessage.Supply(block, epoch, slot, pin, checksum);
                default -> new ExtentMessage.StoreBlock(block, epoch, slot, Bytes.EMPTY, checksum);
            };
            send(block, slot, message);
        }
    }

    private void send(BlockId block, int slot, ExtentMessage message) {
        simulation.send(self, volume.holder(block, slot), NO_OPERATION, message);
    }
}

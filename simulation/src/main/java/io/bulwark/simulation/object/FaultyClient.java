package io.bulwark.simulation.object;

import io.bulwark.protocol.bucket.ObjectPut;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.extent.ExtentCoding;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.extent.ExtentWrite;
import io.bulwark.protocol.fingerprint.Commitment;
import io.bulwark.protocol.fingerprint.CrossChecksum;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.EpochClaim;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Submission;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.OwnContent;
import io.bulwark.protocol.object.PinList;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.byzantine.StoppingOperation;
import io.bulwark.simulation.engine.Observer;
import io.bulwark.simulation.engine.Simulation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * A Byzantine client with a grant: puts that stop anywhere, inodes over blocks never written, over bytes that differ
 * from its own, or over others' blocks. It also stores two contents under one id, writes to others' blocks, replays
 * messages, and leaves sessions open.
 */
final class FaultyClient implements Observer {
    private static final ExtentTiming TIMING = new ExtentTiming(100, 300, 3_000, 1_000);
    private static final int KEPT = 100;
    private static final int KEYS = 3;
    private static final int LURKING_MAX = 6;

    private final Simulation simulation;
    private final Supplier<Volume> volumes;
    private final String bucket;
    private final PrincipalId self;
    private final Replicas replicas;
    private final Random random;
    private final boolean leavesLists;
    private final List<SentMessage> seen = new ArrayList<>();
    private final List<ObjectClient> lurking = new ArrayList<>();
    private BlockRange othersRange;
    private ObjectClient client;

    private record SentMessage(PrincipalId to, Message message) {}

    /**
     * @param leavesLists whether it puts objects whose lists of pins it leaves incomplete
     */
    FaultyClient(
            Simulation simulation,
            Supplier<Volume> volumes,
            String bucket,
            PrincipalId self,
            Replicas replicas,
            Random random,
            boolean leavesLists) {
        this.simulation = simulation;
        this.volumes = volumes;
        this.bucket = bucket;
        this.self = self;
        this.replicas = replicas;
        this.random = random;
        this.leavesLists = leavesLists;
        this.client = another();
        this.othersRange = new BlockRange(volume().id(), PrincipalId.client(1), 1, 0, 1);
    }

    @Override
    public void onSent(PrincipalId from, PrincipalId to, long requestId, Message message) {
        if (to.kind() == PrincipalKind.CLIENT || from.equals(self)) {
            return;
        }
        if (message instanceof ExtentMessage.Store store && from.kind() == PrincipalKind.CLIENT) {
            BlockId block = store.block();
            othersRange = new BlockRange(block.volume(), block.owner(), block.session(), block.counter(), 1);
        }
        if (random.nextInt(50) == 0 && !isItsRight(message)) {
            if (seen.size() == KEPT) {
                seen.remove(random.nextInt(KEPT));
            }
            seen.add(new SentMessage(to, message));
        }
    }

    /**
     * Returns whether this is a legitimate change: any client with a grant may give any name to blocks of its own, or change it
     * otherwise. To repeat such a command in its own session is no attack, and its effects are visible to others.
     */
    private boolean isItsRight(Message message) {
        if (!(message instanceof OrderingMessage.Submit(long _, int _, Bytes bytes))
                || !(Submission.decode(bytes) instanceof Submission.InSession in)) {
            return false;
        }
        return switch (in.command()) {
            case Command.DeleteObject _,
                    Command.RenameObject _,
                    Command.CopyObject _,
                    Command.ComposeObject _,
                    Command.CopyPart _,
                    Command.CompleteUpload _,
                    Command.AbortUpload _,
                    Command.SetLegalHold _,
                    Command.UpdateBucket _ -> true;
            case Command.PutObject put -> isOwn(put.content());
            case Command.PutPart part -> isOwn(part.content());
            default -> false;
        };
    }

    private boolean isOwn(OwnContent content) {
        return content.ranges().stream().allMatch(range -> range.owner().equals(self));
    }

    /** Keys under which its objects may be. */
    static String key(PrincipalId client, int number) {
        return "x" + client.number() + "-" + number;
    }

    /** All of them. */
    static List<String> keys(PrincipalId client) {
        return IntStream.range(0, KEYS).mapToObj(number -> key(client, number)).toList();
    }

    PrincipalId self() {
        return self;
    }

    private String anyKey() {
        return key(self, random.nextInt(KEYS));
    }

    void step() {
        if (volume().policy().protocol() != Protocol.FP && random.nextInt(6) == 0) {
            poison();
            return;
        }
        if (leavesLists && random.nextInt(24) == 0) {
            nameLists();
            return;
        }
        switch (random.nextInt(8)) {
            case 0, 1 -> putSome();
            case 2 -> nameBlocks(false);
            case 3 -> nameBlocks(true);
            case 4 -> nameOthers();
            case 5 -> writeOthers();
            case 6 ->
                client.lease(
                        volume().id(),
                        lease -> client.submit(
                                lease,
                                new Command.RegisterPending(
                                        List.of(lease.blocks().take(volume().generation(), 1 + random.nextInt(5)))),
                                _ -> {}));
            default -> replay();
        }
        if (random.nextInt(10) == 0) {
            // The old session stays open.
            client = another();
        }
    }

    private ObjectClient another() {
        return new ObjectClient(simulation, self, replicas, random, ClientTraits.plain(), ObjectParts.PRODUCTION);
    }

    private void putSome() {
        ObjectClient stopping = another();
        stopping.stopAfter(1 + random.nextInt(12));
        putSome(stopping);
    }

    /** It begins something, and keeps back the rest of it. */
    void lurk() {
        if (lurking.size() == LURKING_MAX) {
            return;
        }
        ObjectClient lurker = another();
        lurking.add(lurker);
        if (random.nextInt(3) != 0) {
            lurker.keepBackAfter(1 + random.nextInt(12));
            putSome(lurker);
        } else {
            // No more than a session for the command.
            lurker.keepBackAfter(1);
            lurker.execute(change(), _ -> {});
        }
    }

    /** Returns a change of a name of its own, or of another client's. */
    private Command change() {
        String key = switch (random.nextInt(3)) {
            case 0 -> anyKey();
            case 1 -> "k" + random.nextInt(2);
            default -> PrincipalId.client(1 + random.nextInt(3)) + "-0-" + random.nextInt(4);
        };
        return switch (random.nextInt(3)) {
            case 0 -> new Command.DeleteObject(bucket, key, 0);
            case 1 -> new Command.RenameObject(bucket, key, bucket, anyKey(), Condition.NONE);
            default -> new Command.CopyObject(bucket, key, 0, bucket, anyKey(), Condition.NONE);
        };
    }

    /** All that it has kept back goes now. */
    void proceed() {
        lurking.forEach(ObjectClient::proceed);
        lurking.clear();
    }

    void beginAnew(int volume, Consumer<ObjectClient.Lease> opened) {
        another().lease(volume, opened);
    }

    private void putSome(ObjectClient stopping) {
        stopping.put(
                volume(),
                new ObjectPut.Target(bucket, anyKey(), Condition.NONE, ObjectAttributes.NONE),
                content(volume().policy().blockBytes() * (1 + random.nextInt(8))),
                random.nextBoolean(),
                _ -> {});
    }

    /** An inode over own blocks, with pins of what was written, of something else, or of nothing. */
    private void nameBlocks(boolean twice) {
        client.lease(volume().id(), lease -> {
            int blocks = 1 + random.nextInt(3);
            BlockRange range = lease.blocks().take(volume().generation(), blocks);
            byte[] pins = new byte[blocks * ObjectLayout.PIN_BYTES];
            random.nextBytes(pins);
            for (int index = 0; index < blocks; index++) {
                ExtentWrite one = write(range.at(index));
                ExtentWrite other = write(range.at(index));
                int length = ObjectLayout.PIN_BYTES;
                if (random.nextInt(4) != 0) {
                    if (random.nextBoolean()) {
                        client.store(one);
                    } else {
                        client.store(new StoppingOperation<>(one, atSome()));
                    }
                    one.pin().copyTo(0, pins, index * length, length);
                }
                if (twice) {
                    client.store(other);
                    if (random.nextBoolean()) {
                        other.pin().copyTo(0, pins, index * length, length);
                    }
                }
            }
            submit(lease, range, Bytes.of(pins), _ -> {});
        });
    }

    /** Any number of nodes, or as many as make a block with those that lie: always the same ones. */
    private StoppingOperation.SendFilter atSome() {
        if (random.nextBoolean()) {
            int nodes = random.nextInt();
            return (_, send) -> (nodes >> send.to().number() & 1) == 1;
        }
        Set<PrincipalId> nodes = new HashSet<>();
        return (_, send) -> nodes.contains(send.to())
                || (nodes.size() < volume().policy().m() && random.nextBoolean() && nodes.add(send.to()));
    }

    /** An inode over fragments of two blocks, which match their checksum one by one. */
    private void poison() {
        client.lease(volume().id(), lease -> {
            BlockRange range = lease.blocks().take(volume().generation(), 1);
            BlockId block = range.at(0);
            ProtectionPolicy policy = volume().policyOf(block);
            ExtentCoding coding = ExtentCoding.of(policy);
            int padded = policy.paddedBytes(policy.blockBytes());
            Bytes one = content(padded);
            List<Bytes> mixed = new ArrayList<>(coding.encode(one).fragments());
            int wrong = random.nextInt(mixed.size());
            mixed.set(wrong, coding.encode(content(padded)).fragments().get(wrong));
            ExtentCoding.Encoded poison = together(policy, mixed, one);
            PlacementGroup group = volume().group(block);
            for (int slot = 0; slot < mixed.size(); slot++) {
                PrincipalId node = PrincipalId.node(group.holders().get(slot));
                Message store = new ExtentMessage.Store(
                        block, group.epoch(), slot, poison.fragments().get(slot), poison.checksum());
                simulation.send(self, node, random.nextLong(1_000), store);
            }
            submit(lease, range, poison.checksum().pin(), _ -> {});
        });
    }

    /** Any fragments, under one checksum. */
    private static ExtentCoding.Encoded together(ProtectionPolicy policy, List<Bytes> mixed, Bytes block) {
        if (policy.protocol().isVersioned()) {
            return new ExtentCoding.Encoded(CrossChecksum.of(mixed), mixed);
        }
        Commitment.Encoded forged = Commitment.of(policy.m(), mixed, block, block);
        return new ExtentCoding.Encoded(forged.commitment(), forged.fragments());
    }

    /** An inode over lists of pins that were not written everywhere, and of blocks that were never written. */
    private void nameLists() {
        Volume volume = volume();
        int blockBytes = volume.policy().blockBytes();
        long length = (long) blockBytes * (ObjectLayout.PINS_MAX + 1);
        client.lease(volume.id(), lease -> {
            int data = ObjectLayout.PINS_MAX + 1;
            BlockRange range = lease.blocks().take(volume.generation(), ObjectLayout.extents(blockBytes, length));
            List<PinList> lists = PinList.of(blockBytes, 1, content(data * ObjectLayout.PIN_BYTES));
            byte[] pins = new byte[lists.size() * ObjectLayout.PIN_BYTES];
            for (int index = 0; index < lists.size(); index++) {
                BlockId block = range.at(data + index);
                Bytes list = lists.get(index).encoded();
                ExtentWrite write = new ExtentWrite(volume, block, list, TIMING);
                write.pin().copyTo(0, pins, index * ObjectLayout.PIN_BYTES, ObjectLayout.PIN_BYTES);
                if (random.nextInt(3) == 0) {
                    storeAtSome(volume, block, list);
                } else {
                    client.store(write);
                }
            }
            submit(lease, new ObjectLayout(volume.id(), blockBytes, length, List.of(range), Bytes.of(pins)), _ -> {});
        });
    }

    private void storeAtSome(Volume volume, BlockId block, Bytes content) {
        byte[] padded = new byte[volume.policyOf(block).paddedBytes(content.length())];
        content.copyTo(0, padded, 0, content.length());
        ExtentCoding.Encoded encoded = ExtentCoding.of(volume.policyOf(block)).encode(Bytes.of(padded));
        PlacementGroup group = volume.group(block);
        for (int slot = 0; slot < encoded.fragments().size(); slot++) {
            if (random.nextBoolean()) {
                Bytes fragment = encoded.fragments().get(slot);
                Message store = new ExtentMessage.Store(block, group.epoch(), slot, fragment, encoded.checksum());
                PrincipalId node = PrincipalId.node(group.holders().get(slot));
                simulation.send(self, node, random.nextLong(1_000), store);
            }
        }
    }

    private void nameOthers() {
        BlockRange range = othersRange;
        if (range.volume() == volume().id() && !range.owner().equals(self)) {
            client.lease(
                    volume().id(),
                    lease -> submit(lease, range, Bytes.of(new byte[ObjectLayout.PIN_BYTES]), reply -> {
                        if (reply instanceof Reply.ObjectStored) {
                            throw ObjectInvariants.OWN_RANGES_ONLY.violation(
                                    range.at(0).toString(), self + " got an inode over it");
                        }
                    }));
        }
    }

    private void submit(ObjectClient.Lease lease, BlockRange range, Bytes pins, Consumer<Reply> then) {
        int blockBytes = volume().policy().blockBytes();
        submit(
                lease,
                new ObjectLayout(volume().id(), blockBytes, range.count() * blockBytes, List.of(range), pins),
                then);
    }

    private void submit(ObjectClient.Lease lease, ObjectLayout layout, Consumer<Reply> then) {
        client.submit(
                lease,
                new Command.PutObject(
                        bucket,
                        anyKey(),
                        Condition.NONE,
                        layout,
                        ObjectAttributes.NONE,
                        EpochClaim.of(volume()),
                        List.of()),
                reply -> reply.ifPresent(then));
    }

    private void writeOthers() {
        if (othersRange.volume() == volume().id() && volume().knows(othersRange.at(0))) {
            client.store(write(othersRange.at(0)));
        }
    }

    private ExtentWrite write(BlockId block) {
        return new ExtentWrite(volume(), block, content(volume().policy().blockBytes()), TIMING);
    }

    private void replay() {
        if (!seen.isEmpty()) {
            SentMessage old = seen.get(random.nextInt(seen.size()));
            simulation.send(self, old.to, random.nextLong(1_000), old.message);
        }
    }

    private Bytes content(int length) {
        byte[] content = new byte[length];
        random.nextBytes(content);
        return Bytes.of(content);
    }

    private Volume volume() {
        return volumes.get();
    }
}

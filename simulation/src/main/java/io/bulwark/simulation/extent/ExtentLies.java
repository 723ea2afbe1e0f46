package io.bulwark.simulation.extent;

import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.extent.ReadRefusal;
import io.bulwark.protocol.extent.StoreRefusal;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.fingerprint.Commitment;
import io.bulwark.protocol.fingerprint.CrossChecksum;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.simulation.byzantine.Collusion;
import io.bulwark.simulation.byzantine.Lie;
import io.bulwark.simulation.byzantine.Lies;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** The lies of one node in the messages of extents. */
final class ExtentLies implements Lies {
    private static final StoreRefusal[] STORE_REFUSALS = StoreRefusal.values();
    /** All but the last: NOT_REPAIRED is as good as silence. */
    private static final ReadRefusal[] READ_REFUSALS =
            Arrays.copyOf(ReadRefusal.values(), ReadRefusal.values().length - 1);

    private final Collusion collusion;
    private final Random random;

    ExtentLies(Collusion collusion, Random random) {
        this.collusion = collusion;
        this.random = random;
    }

    @Override
    public void onRequest(PrincipalId from, Message request) {
        // The faulty parties already know the request.
    }

    @Override
    public List<Message> instead(Lie lie, PrincipalId from, Message request) {
        Message answer = switch (request) {
            case ExtentMessage.Store store -> stored(lie, store);
            case ExtentMessage.StoreBlock store -> stored(lie, store);
            case ExtentMessage.Supply supply -> stored(lie, supply);
            case ExtentMessage.ReadPinned read -> read(lie, read);
            default -> null;
        };
        return answer == null ? List.of() : List.of(answer);
    }

    private @Nullable Message stored(Lie lie, ExtentMessage.Request store) {
        return switch (lie) {
            case FORGETS, COLLUDES, LIES_ABOUT_COMMITS -> new ExtentMessage.Acknowledged(store.block(), store.epoch());
            case FALSE_TIMESTAMP -> new ExtentMessage.Acknowledged(store.block(), 1L + random.nextInt(3));
            case REFUSES ->
                new ExtentMessage.NotStored(
                        store.block(), 1L + random.nextInt(3), STORE_REFUSALS[random.nextInt(STORE_REFUSALS.length)]);
            default -> null;
        };
    }

    private @Nullable Message read(Lie lie, ExtentMessage.ReadPinned read) {
        return switch (lie) {
            case STALE, FORGETS -> new ExtentMessage.NotFound(read.block(), read.epoch(), ReadRefusal.NONE);
            case LIES_ABOUT_COMMITS -> new ExtentMessage.Holds(read.block(), read.epoch());
            case REFUSES, FALSE_TIMESTAMP ->
                new ExtentMessage.NotFound(
                        read.block(), 1L + random.nextInt(3), READ_REFUSALS[random.nextInt(READ_REFUSALS.length)]);
            case REPLAYS -> {
                ExtentMessage.Found other = collusion.recall(ExtentMessage.Found.class, _ -> true);
                yield other == null
                        ? null
                        : new ExtentMessage.Found(read.block(), read.epoch(), other.checksum(), other.fragment(), true);
            }
            case COLLUDES -> {
                ExtentMessage.Store known = collusion.recall(
                        ExtentMessage.Store.class,
                        store -> store.block().equals(read.block())
                                && store.checksum().pin().equals(read.pin()));
                yield known == null
                        ? null
                        : new ExtentMessage.Found(read.block(), read.epoch(), known.checksum(), known.fragment(), true);
            }
            default -> null;
        };
    }

    @Override
    public Message altered(Lie lie, PrincipalId to, Message answer) {
        return switch (answer) {
            case ExtentMessage.Found found -> altered(lie, found);
            case ExtentMessage.Acknowledged ok
            when lie == Lie.LIES_ABOUT_COMMITS ->
                new ExtentMessage.NotStored(ok.block(), ok.epoch(), StoreRefusal.OTHER_CONTENT);
            case ExtentMessage.NotStored no
            when lie == Lie.LIES_ABOUT_COMMITS -> new ExtentMessage.Acknowledged(no.block(), no.epoch());
            default -> answer;
        };
    }

    private ExtentMessage altered(Lie lie, ExtentMessage.Found found) {
        Bytes fragment = found.fragment();
        return switch (lie) {
            case WRONG_FRAGMENT -> {
                byte[] flipped = fragment.toByteArray();
                flipped[random.nextInt(flipped.length)] ^= (byte) (1 + random.nextInt(255));
                yield with(found, Bytes.of(flipped));
            }
            case OTHER_FRAGMENT -> {
                ExtentMessage.Store other = collusion.recall(ExtentMessage.Store.class, _ -> true);
                yield other == null ? found : with(found, other.fragment());
            }
            case WRONG_MACS -> {
                Checksum wrong = switch (found.checksum()) {
                    case Fpcc fpcc -> Fpcc.of(fpcc.length(), with(fpcc.cc(), fragment), fpcc.fp());
                    case CrossChecksum cross -> CrossChecksum.of(cross.length(), with(cross.cc(), fragment));
                    case Commitment commitment -> altered(commitment);
                };
                yield new ExtentMessage.Found(found.block(), found.epoch(), wrong, fragment, true);
            }
            default -> found;
        };
    }

    private List<Bytes> with(List<Bytes> hashes, Bytes fragment) {
        List<Bytes> cc = new ArrayList<>(hashes);
        cc.set(random.nextInt(cc.size()), Hashes.sha256(fragment));
        return cc;
    }

    /** Another root, hash of the segment, or fingerprint. */
    private Checksum altered(Commitment commitment) {
        byte[] bytes = commitment.encoded().toByteArray();
        bytes[Commitment.HEAD_BYTES + random.nextInt(bytes.length - Commitment.HEAD_BYTES)] ^=
                (byte) (1 + random.nextInt(255));
        return Checksum.decode(new WireReader(Bytes.of(bytes)));
    }

    private static ExtentMessage with(ExtentMessage.Found found, Bytes fragment) {
        return new ExtentMessage.Found(found.block(), found.epoch(), found.checksum(), fragment, true);
    }
}

package io.bulwark.simulation.ordering;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Shared knowledge of the faulty replicas: which batch they showed to whom, and which false values they agree on. */
final class OrderingPlot {
    private record ShownSlot(long view, long number, int to) {}

    private final RandomGenerator random;
    private final Map<ShownSlot, Bytes> shown = new HashMap<>();
    private final Map<ShownSlot, Batch> variants = new HashMap<>();
    private final Map<Bytes, Batch> batches = new HashMap<>();
    private final Map<RequestId, Request> forged = new LinkedHashMap<>();
    private @Nullable Numbered never;

    OrderingPlot(RandomGenerator random) {
        this.random = random;
    }

    /**
     * Returns the batch shown to this replica instead of the real one. One half of the replicas sees one batch, the
     * other half another.
     */
    Batch variant(long view, long number, int to, Batch batch) {
        Batch variant = variants.computeIfAbsent(
                new ShownSlot(view, number, to % 2), _ -> random.nextInt(3) == 0 ? batch : variant(batch));
        shown.put(new ShownSlot(view, number, to), variant.digest());
        return variant;
    }

    /** A batch with a request that nobody made, the same for all. */
    Batch withForgery(long view, long number, int to, Batch batch) {
        Batch forgery = variants.computeIfAbsent(new ShownSlot(view, number, -1), _ -> {
            List<RequestId> requests = new ArrayList<>(batch.requests());
            requests.add(forge());
            return new Batch(batch.millis(), requests);
        });
        batches.put(forgery.digest(), forgery);
        shown.put(new ShownSlot(view, number, to), forgery.digest());
        return forgery;
    }

    /** The same to all: this one, or what stood in its place when the first was shown it. */
    Batch inPlaceOf(long view, long number, int to, Batch batch) {
        Batch one = variants.computeIfAbsent(new ShownSlot(view, number, -2), _ -> batch);
        batches.put(one.digest(), one);
        shown.put(new ShownSlot(view, number, to), one.digest());
        return one;
    }

    /** Another batch in the place of one. */
    Batch variant(Batch batch) {
        List<RequestId> requests = new ArrayList<>(batch.requests());
        switch (random.nextInt(4)) {
            case 0 -> requests.clear();
            case 1 -> requests.add(forge());
            case 2 -> {
                if (!requests.isEmpty()) {
                    requests.removeLast();
                }
            }
            default -> {}
        }
        Batch variant = new Batch(batch.millis() + 1 + random.nextInt(3), requests);
        batches.put(variant.digest(), variant);
        return variant;
    }

    /** A request that a correct client never made. */
    RequestId forge() {
        if (!forged.isEmpty() && random.nextBoolean()) {
            List<RequestId> known = List.copyOf(forged.keySet());
            return known.get(random.nextInt(known.size()));
        }
        RegisterOperation operation = new RegisterOperation(1_000_000 + forged.size(), 0, 666_000 + forged.size());
        Request request = new Request(PrincipalId.client(0), random.nextLong(), false, operation.encode());
        forged.put(request.id(), request);
        return request.id();
    }

    /** Returns the batch that this replica was shown for the number in the view, if it was a different one. */
    @Nullable
    Bytes shown(long view, long number, int to) {
        return shown.get(new ShownSlot(view, number, to));
    }

    @Nullable
    Batch batch(Bytes digest) {
        return batches.get(digest);
    }

    /** Returns those of the requests that the faulty replicas invented. */
    List<Request> forged(List<RequestId> ids) {
        List<Request> bodies = new ArrayList<>();
        for (RequestId id : ids) {
            Request body = forged.get(id);
            if (body != null) {
                bodies.add(body);
            }
        }
        return bodies;
    }

    /** Invents a checkpoint that never was, which all of them name from now on. */
    void swear(Numbered checkpoint) {
        never = checkpoint;
    }

    @Nullable
    Numbered never() {
        return never;
    }

    /** Returns the false digest that all faulty replicas claim for a number. */
    Bytes falseDigest(long number) {
        return Hashes.sha256(new WireWriter(8).i64(number).toBytes());
    }
}

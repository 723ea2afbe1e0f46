package io.bulwark.metadata.bftsmart;

import io.bulwark.metadata.ordering.OrderedBatch;
import io.bulwark.metadata.ordering.Submission;
import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * Decides which replica hands a client's request to the consensus, since all replicas get it: the one that the client's
 * id names, and after a pause the next ones. Puts many requests into one, with few under way at a time. Thread-safe.
 */
final class Relay {
    /** Maximum number of batches of one replica in flight. */
    private static final int WINDOW = 4;

    private static final int BATCH_SUBMISSIONS_MAX = 512;
    private static final long TURN_MILLIS = 400;
    private static final long PATIENCE_TURNS = 5;
    private static final long SUSPECT_MILLIS = 5_000;

    /** A batch that was not delivered for so long is handed in again; requests tell repetitions by themselves. */
    private static final long AGAIN_MILLIS = 3_000;

    private record Pending(Submission submission, long sinceMillis) {}

    private record SentSubmissions(List<Submission> submissions, long atMillis) {}

    private final int self;
    private final int replicas;
    private final ToIntFunction<byte[]> order;
    private final Map<Submission.Id, Pending> pending = new LinkedHashMap<>();
    private final Deque<Submission> outbox = new ArrayDeque<>();
    private final Map<Integer, SentSubmissions> inFlight = new LinkedHashMap<>();
    private final Map<Integer, Long> suspectedUntil = new HashMap<>();
    private final long[] deliveredMillis;
    private boolean open;

    /** @param order hands an encoded batch to the consensus and returns its number */
    Relay(int self, int replicas, ToIntFunction<byte[]> order) {
        this.self = self;
        this.replicas = replicas;
        this.order = order;
        this.deliveredMillis = new long[replicas];
    }

    /** Lets the consensus take requests from now on. */
    synchronized void open(long nowMillis) {
        open = true;
        Arrays.fill(deliveredMillis, nowMillis);
        send(nowMillis);
    }

    synchronized int pending() {
        return pending.size();
    }

    synchronized void close() {
        open = false;
        pending.clear();
        outbox.clear();
        inFlight.clear();
    }

    synchronized void submit(long nowMillis, Submission submission) {
        if (pending.putIfAbsent(submission.id(), new Pending(submission, nowMillis)) != null) {
            return;
        }
        if (turn(nowMillis, submission.client(), 0) == self) {
            outbox.add(submission);
            send(nowMillis);
        }
    }

    /** A batch was decided, from whichever replica it came. */
    synchronized void onDelivered(long nowMillis, int from, int number, OrderedBatch batch) {
        deliveredMillis[from] = nowMillis;
        for (Submission submission : batch.submissions()) {
            pending.remove(submission.id());
        }
        if (from == self) {
            inFlight.remove(number);
        }
        send(nowMillis);
    }

    synchronized void onTick(long nowMillis) {
        for (Pending waiting : pending.values()) {
            long turns = (nowMillis - waiting.sinceMillis()) / TURN_MILLIS;
            if (turns == 0) {
                break;
            }
            int named = named(waiting.submission().client());
            boolean works = nowMillis - deliveredMillis[named] < TURN_MILLIS;
            if (works && turns <= PATIENCE_TURNS) {
                // It has much to do, and handing in the same once more would not help.
                continue;
            }
            suspectedUntil.put(named, nowMillis + SUSPECT_MILLIS);
            boolean mine = turn(nowMillis, waiting.submission().client(), turns - 1) == self;
            if (mine && !isUnderWay(waiting.submission())) {
                outbox.add(waiting.submission());
            }
        }
        Iterator<SentSubmissions> sent = inFlight.values().iterator();
        while (sent.hasNext()) {
            SentSubmissions batch = sent.next();
            if (nowMillis - batch.atMillis() > AGAIN_MILLIS) {
                sent.remove();
                outbox.addAll(batch.submissions());
            }
        }
        send(nowMillis);
    }

    private boolean isUnderWay(Submission submission) {
        return outbox.contains(submission)
                || inFlight.values().stream()
                        .anyMatch(sent -> sent.submissions().contains(submission));
    }

    /** Returns the replica whose turn it is for this client, without suspected ones. */
    private int turn(long nowMillis, PrincipalId client, long turns) {
        int named = named(client);
        for (int i = 0; i < replicas; i++) {
            int candidate = (int) ((named + turns + i) % replicas);
            if (candidate == self || suspectedUntil.getOrDefault(candidate, 0L) <= nowMillis) {
                return candidate;
            }
        }
        return self;
    }

    private int named(PrincipalId client) {
        return Math.floorMod(31 * client.kind().ordinal() + client.number(), replicas);
    }

    private void send(long nowMillis) {
        while (open && inFlight.size() < WINDOW && !outbox.isEmpty()) {
            List<Submission> batch = new ArrayList<>();
            int bytes = 0;
            while (!outbox.isEmpty() && batch.size() < BATCH_SUBMISSIONS_MAX) {
                Submission next = outbox.peek();
                if (!pending.containsKey(next.id())) {
                    outbox.remove();
                    continue;
                }
                bytes += 64 + next.command().length();
                if (bytes > OrderedBatch.BYTES_MAX && !batch.isEmpty()) {
                    break;
                }
                batch.add(outbox.remove());
            }
            if (!batch.isEmpty()) {
                byte[] content = new OrderedBatch(0, batch).encoded().toByteArray();
                inFlight.put(order.applyAsInt(content), new SentSubmissions(batch, nowMillis));
            }
        }
    }
}

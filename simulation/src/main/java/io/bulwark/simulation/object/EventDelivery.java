package io.bulwark.simulation.object;

import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.ObjectEvent;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.campaign.Invariant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * Clients that deliver the events of a bucket as gateways do: claim, read, deliver, acknowledge with the next claim. At
 * times one ends between two of these steps, and returns as another claimant. Each acknowledged change of the bucket is
 * heard of, whoever ended when.
 */
final class EventDelivery {
    /** Nobody who changes an object is told that it is done without its event being delivered, then or later. */
    static final Invariant AT_LEAST_ONCE =
            new Invariant("events-at-least-once", "docs/decisions/0037-events-wait-in-the-replicated-state.md");

    private static final int PAGE = 3;
    private static final int ENDS_ONE_IN = 6;

    private final ObjectWorld world;
    private final String bucket;
    private final Random random;
    private final List<Claimant> claimants = new ArrayList<>();
    private final Set<Long> numbers = new TreeSet<>();
    private final Set<String> changed = new TreeSet<>();
    private final Set<String> heard = new TreeSet<>();
    private boolean draining;

    /** A client with the number by which it claims. */
    private final class Claimant {
        private final ObjectClient client;
        private long number;
        private boolean busy;

        private Claimant(ObjectClient client, long number) {
            this.client = client;
            this.number = number;
        }

        private void draw() {
            number = 1L + random.nextInt(Integer.MAX_VALUE - 1);
            numbers.add(number);
        }

        private void begin() {
            if (!busy) {
                busy = true;
                world.begins();
                claim(0);
            }
        }

        private void claim(long acknowledged) {
            client.execute(new Command.ClaimEvents(bucket, number, acknowledged), reply -> {
                if (reply.orElse(null) instanceof Reply.EventsClaimed claimed && claimed.held()) {
                    read(acknowledged);
                } else {
                    end();
                }
            });
        }

        private void read(long after) {
            client.query(new Query.ListEvents(bucket, after, PAGE), reply -> {
                if (!(reply.orElse(null) instanceof Reply.EventList list)
                        || list.events().isEmpty()) {
                    end();
                    return;
                }
                long last = after;
                for (Reply.EventEntry entry : list.events()) {
                    if (entry.position() <= last) {
                        throw AT_LEAST_ONCE.violation(bucket, "position " + entry.position() + " after " + last);
                    }
                    last = entry.position();
                    heard.add(text(entry.event()));
                }
                if (!draining && random.nextInt(ENDS_ONE_IN) == 0) {
                    draw();
                    end();
                } else {
                    claim(last);
                }
            });
        }

        private void end() {
            busy = false;
            world.ends();
        }
    }

    EventDelivery(ObjectWorld world, List<ObjectClient> clients, String bucket, Random random) {
        this.world = world;
        this.bucket = bucket;
        this.random = random;
        clients.forEach(client -> {
            Claimant claimant = new Claimant(client, 0);
            claimant.draw();
            claimants.add(claimant);
        });
    }

    /** Returns the command by which the bucket begins to record events. */
    static Command record(String bucket) {
        return new Command.PutDocument(bucket, Command.ClaimEvents.RULES, Condition.NONE, Bytes.of(new byte[] {1}));
    }

    void step() {
        claimants.get(random.nextInt(claimants.size())).begin();
    }

    /** Is called for each change that was acknowledged. */
    void changed(String where, String key, long version, boolean isRemoval) {
        if (where.equals(bucket)) {
            changed.add(text(key, version, isRemoval));
        }
    }

    private static String text(ObjectEvent event) {
        return text(
                event.key(),
                event.version(),
                event.kind() == ObjectEvent.Kind.DELETE || event.kind() == ObjectEvent.Kind.DELETE_MARKER);
    }

    private static String text(String key, long version, boolean isRemoval) {
        return (isRemoval ? "removal of " : "put of ") + key + " " + version;
    }

    /** Reads what is left, as each of the claimants that there were: the claim of the last one may last. */
    void drain() {
        draining = true;
        numbers.forEach(number -> new Claimant(claimants.getFirst().client, number).begin());
    }

    void check() {
        Optional<String> missed =
                changed.stream().filter(change -> !heard.contains(change)).findFirst();
        missed.ifPresent(change -> {
            throw AT_LEAST_ONCE.violation(bucket, change + " was not delivered");
        });
    }

    int heard() {
        return heard.size();
    }
}

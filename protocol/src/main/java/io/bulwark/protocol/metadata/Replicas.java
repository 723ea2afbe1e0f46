package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.object.InlineContent;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Present and next replicas (docs/decisions/0020). The engine reads the next configuration here, has it begin with the
 * next checkpoint, and reports that. As long as nobody has ever changed them the state contains nothing.
 */
final class Replicas {
    private static final int NOW = 0;
    private static final int NEXT = 1;

    /** The number in the name of a replica is less: clients name the replier by it. */
    private static final int NAMES_MAX = OrderingMessage.ALL;

    private final Tables tables;
    private final Registry registry;
    private final GenesisKeys genesis;
    private boolean staying;
    private int faulty = 1;
    private @Nullable Configuration beginning;

    Replicas(Tables tables, Registry registry, GenesisKeys genesis) {
        this.tables = tables;
        this.registry = registry;
        this.genesis = genesis;
    }

    void stay() {
        staying = true;
    }

    /** Returns the next configuration that this command names; refuses an invalid one. */
    Configuration named(Command.ChangeReplicas change) {
        CommandRefusal.refuseUnless(
                !staying, MetadataError.BAD_ARGUMENT, "this ordering engine cannot change its " + "replicas");
        CommandRefusal.refuseUnless(next().isEmpty(), MetadataError.REPLICAS_CHANGING, "");
        Configuration now = now();
        CommandRefusal.refuseUnless(
                change.number() == now.number() + 1, MetadataError.OTHER_REPLICAS, "these are " + now);
        registry.requireNeverSeen(change.coming());
        return withKeysOfNow(after(now, change));
    }

    void change(Command.ChangeReplicas change, PrincipalId by) {
        Configuration next = named(change);
        for (Table.Entry<Integer, Volumes.Definition> volume : tables.volumes.all()) {
            CommandRefusal.refuseUnless(
                    tables.usages.find(volume.key()).orElseThrow().inline == 0
                            || InlineContent.isAllowedBy(volume.value().policy(), next.faulty()),
                    MetadataError.BAD_ARGUMENT,
                    "volume " + volume.value().name() + " survives more faulty nodes than " + next
                            + " survives faulty replicas, which hold small objects of it");
        }
        registry.letIn(change.coming(), by);
        tables.replicas.put(NEXT, next);
    }

    /** Applies the present keys. Staying replicas may have other keys than when they came. */
    private Configuration withKeysOfNow(Configuration next) {
        List<Member> members = new ArrayList<>();
        for (Member member : next.members()) {
            List<PrincipalKey> keys = registry.keysOf(member.replica());
            members.add(
                    keys.isEmpty()
                            ? member
                            : new Member(member.replica(), keys.getFirst().encoded(), member.address()));
        }
        return new Configuration(next.number(), members);
    }

    /** Returns the configuration after a command; its members keep their earlier keys. */
    static Configuration after(Configuration now, Command.ChangeReplicas change) {
        Set<Integer> places = new HashSet<>();
        for (PrincipalId leaving : change.leaving()) {
            int place = now.placeOf(leaving);
            CommandRefusal.refuseUnless(place >= 0, MetadataError.NO_SUCH_PRINCIPAL, leaving + " is none of " + now);
            places.add(place);
        }
        for (Member member : change.coming()) {
            CommandRefusal.refuseUnless(
                    member.replica().number() < NAMES_MAX,
                    MetadataError.BAD_ARGUMENT,
                    "replica numbers have no room for " + member.replica() + ", but up to replica-" + (NAMES_MAX - 1));
            CommandRefusal.refuseUnless(
                    isAddress(member), MetadataError.BAD_ARGUMENT, "\"" + member.address() + "\" is not HOST:PORT");
        }
        try {
            if (places.size() == 1
                    && change.leaving().size() == 1
                    && change.coming().size() == 1) {
                return now.replacing(places.iterator().next(), change.coming().getFirst());
            }
            if (places.isEmpty() && change.coming().size() == Command.REPLICAS_CHANGED) {
                return now.adding(change.coming());
            }
            if (places.size() == Command.REPLICAS_CHANGED && change.coming().isEmpty()) {
                return now.without(places);
            }
        } catch (IllegalArgumentException e) {
            throw new CommandRefusal(
                    MetadataError.BAD_ARGUMENT, "there are 4, 7, 10 or more replicas, each with a key of its own");
        }
        throw new CommandRefusal(
                MetadataError.BAD_ARGUMENT,
                "a change replaces one replica, adds three or removes three; this one adds "
                        + change.coming().size() + " and removes "
                        + change.leaving().size());
    }

    private static boolean isAddress(Member member) {
        int colon = member.address().lastIndexOf(':');
        try {
            int port = Integer.parseInt(member.address().substring(colon + 1));
            return colon > 0
                    && port > 0
                    && port <= 65_535
                    && PlacementChanges.isHost(member.address().substring(0, colon));
        } catch (NumberFormatException e) {
            return false;
        }
    }

    Reply.ReplicaList list() {
        return new Reply.ReplicaList(now(), next());
    }

    /** Refuses a lock while replicas may change before its round ends, and where executed commands may be cut off. */
    void requireStable() {
        CommandRefusal.refuseUnless(
                !staying, MetadataError.NOT_LOCKABLE, "this ordering engine may take executed commands back");
        CommandRefusal.refuseUnless(next().isEmpty(), MetadataError.NOT_LOCKABLE, "the replicas are being changed");
    }

    /**
     * Refuses inline content that these replicas protect less than nodes would, or the next ones do. An engine with fixed
     * replicas survives crashes only.
     */
    void requireInline(ProtectionPolicy policy) {
        int least =
                Math.min(ordering().faulty(), next().map(Configuration::faulty).orElse(Integer.MAX_VALUE));
        CommandRefusal.refuseUnless(
                !staying && InlineContent.isAllowedBy(policy, least),
                MetadataError.NOT_INLINE,
                "nodes protect " + policy.text() + " better than these replicas do");
    }

    /** Returns the replicas that order. Those of a cluster without identities have the first numbers. */
    Configuration ordering() {
        return tables.replicas.get(NOW).orElseGet(this::beginning);
    }

    private Configuration beginning() {
        Configuration known = beginning;
        if (known == null) {
            try {
                known = genesis.configuration();
            } catch (IllegalArgumentException e) {
                known = Configuration.fixed(faulty);
            }
            beginning = known;
        }
        return known;
    }

    Bytes cluster() {
        return genesis.cluster();
    }

    /** @param replicas that may be faulty, of a cluster without identities */
    void assume(int replicas) {
        faulty = replicas;
        beginning = null;
    }

    int assumed() {
        return faulty;
    }

    Configuration now() {
        return tables.replicas.get(NOW).orElseGet(this::first);
    }

    private Configuration first() {
        try {
            return genesis.configuration();
        } catch (IllegalArgumentException e) {
            throw new CommandRefusal(
                    MetadataError.BAD_ARGUMENT,
                    "replicas without identities cannot change: they could not prove their successors");
        }
    }

    /** Returns the next configuration, if there is one. */
    Optional<Configuration> next() {
        return tables.replicas.get(NEXT);
    }

    /**
     * Makes the next configuration the present one. A leaving replica is believed up to here, since reaching this point
     * may require it.
     */
    void begin(Configuration begun) {
        for (PrincipalId replica : now().replicas()) {
            if (begun.placeOf(replica) < 0) {
                registry.putOut(replica);
            }
        }
        tables.replicas.remove(NEXT);
        tables.replicas.put(NOW, begun);
    }
}

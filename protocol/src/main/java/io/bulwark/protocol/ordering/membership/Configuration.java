package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A numbered list of 3f+1 replicas: the number of each among them is its place in the list. Number 0 is the genesis's.
 */
public record Configuration(long number, List<Member> members) {
    private static final long LATER = 1L << 62;

    public Configuration {
        members = List.copyOf(members);
        Set<PrincipalId> names = new HashSet<>();
        Set<Bytes> keys = new HashSet<>();
        boolean distinct = true;
        for (Member member : members) {
            distinct &= names.add(member.replica()) && (member.key().isEmpty() || keys.add(member.key()));
        }
        if (number < 0 || !isSize(members.size()) || !distinct) {
            throw new IllegalArgumentException("configuration " + number + " of " + members);
        }
    }

    /** The replicas 0 to 3f of a group that has no identities, and keeps its members. */
    public static Configuration fixed(int faulty) {
        List<Member> members = new ArrayList<>();
        for (int replica = 0; replica <= 3 * faulty; replica++) {
            members.add(new Member(PrincipalId.replica(replica), Bytes.EMPTY, ""));
        }
        return new Configuration(0, members);
    }

    private static boolean isSize(int size) {
        return size >= 4 && size % 3 == 1 && size <= ReplicaMessage.REPLICAS_MAX;
    }

    /** The next one, with another replica in one place. */
    public Configuration replacing(int place, Member member) {
        List<Member> next = new ArrayList<>(members);
        next.set(place, member);
        return new Configuration(number + 1, next);
    }

    /** The next one, with three more replicas: f is greater by one. */
    public Configuration adding(List<Member> three) {
        List<Member> next = new ArrayList<>(members);
        next.addAll(three);
        return new Configuration(number + 1, next);
    }

    /** The next one, without the replicas in three places: f is smaller by one. */
    public Configuration without(Set<Integer> places) {
        List<Member> next = new ArrayList<>();
        for (int place = 0; place < members.size(); place++) {
            if (!places.contains(place)) {
                next.add(members.get(place));
            }
        }
        return new Configuration(number + 1, next);
    }

    /**
     * Returns the incarnation that replies carry in the configuration with this number. It is 0 for the genesis, as
     * before other configurations existed. Otherwise it exceeds every incarnation that another engine reaches.
     */
    public static long incarnationOf(long number) {
        return number == 0 ? 0 : LATER + number;
    }

    /** The number of the configuration in which a reply says this; 0 of an engine that has incarnations. */
    public static long numberOf(long incarnation) {
        return Math.max(0, incarnation - LATER);
    }

    /** f. */
    public int faulty() {
        return members.size() / 3;
    }

    /** 2f+1. */
    public int quorum() {
        return 2 * faulty() + 1;
    }

    /** The place of a replica; -1 if it is none of these. */
    public int placeOf(PrincipalId replica) {
        for (int place = 0; place < members.size(); place++) {
            if (members.get(place).replica().equals(replica)) {
                return place;
            }
        }
        return -1;
    }

    /** In their order. */
    public List<PrincipalId> replicas() {
        return members.stream().map(Member::replica).toList();
    }

    /** SHA-256 of all of it: with the keys in it that of the genesis tells groups apart. */
    public Bytes digest() {
        WireWriter out = new WireWriter();
        write(out);
        return Hashes.sha256(out.toBytes());
    }

    public void write(WireWriter out) {
        out.i64(number).u8(members.size());
        members.forEach(member -> member.write(out));
    }

    public static Configuration read(WireReader in) {
        long number = in.nonNegative64();
        int size = in.u8();
        if (!isSize(size)) {
            throw new MalformedException("a configuration of " + size + " replicas");
        }
        List<Member> members = new ArrayList<>();
        for (int place = 0; place < size; place++) {
            members.add(Member.read(in));
        }
        try {
            return new Configuration(number, members);
        } catch (IllegalArgumentException e) {
            throw new MalformedException("a replica is named twice");
        }
    }

    /** For example {@code configuration 2: replica-0, replica-4, replica-2, replica-3}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("configuration ").append(number).append(':');
        for (Member member : members) {
            text.append(text.charAt(text.length() - 1) == ':' ? " " : ", ").append(member.replica());
        }
        return text.toString();
    }
}

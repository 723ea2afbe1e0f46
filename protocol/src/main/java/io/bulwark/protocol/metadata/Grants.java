package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.Tables.BucketGrant;
import io.bulwark.protocol.metadata.Tables.VolumeGrant;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Rights of principals. Nodes and replicas read what they need to do their part. Clients have rights on the whole
 * cluster (from the genesis or an operator), on a volume with all its buckets, and on a bucket. The widest counts.
 */
final class Grants {
    /** A list of a client's grants is not longer. */
    static final int LIST_MAX = 1000;

    private final Tables tables;

    Grants(Tables tables) {
        this.tables = tables;
    }

    /** Requested right. */
    enum Right {
        READ,
        WRITE,
        ADMINISTER;

        boolean in(Rights rights) {
            return switch (this) {
                case READ -> rights.read();
                case WRITE -> rights.write();
                case ADMINISTER -> rights.administer();
            };
        }
    }

    /**
     * A client's rights on a volume, and how many of its buckets it may read and write besides: nodes serve it then, who know of
     * volumes only.
     */
    record OnVolume(Rights rights, int readable, int writable) {
        private static final OnVolume NOTHING = new OnVolume(Rights.NONE, 0, 0);

        void write(WireWriter out) {
            rights.write(out);
            out.i32(readable).i32(writable);
        }

        static OnVolume read(WireReader in) {
            return new OnVolume(Rights.read(in), in.i32(0, Integer.MAX_VALUE), in.i32(0, Integer.MAX_VALUE));
        }
    }

    boolean isNode(PrincipalId principal) {
        return principal.kind() == PrincipalKind.NODE && tables.nodes.contains(principal.number());
    }

    /** Returns whether it belongs to the cluster, whatever its rights. */
    boolean known(PrincipalId principal) {
        Optional<Registry.Entry> member = tables.members.get(principal);
        if (member.isPresent()) {
            return !member.get().revoked();
        }
        return tables.grants.contains(principal) || isNode(principal) || principal.kind() == PrincipalKind.REPLICA;
    }

    /** Returns whether it belongs, and is not only invited. */
    boolean joined(PrincipalId principal) {
        return known(principal) && !tables.invitations.contains(principal);
    }

    /** Everywhere. */
    boolean allows(PrincipalId principal, Right right) {
        return right.in(rightsEverywhere(principal));
    }

    boolean mayAdminister(PrincipalId principal) {
        return allows(principal, Right.ADMINISTER);
    }

    /** On all of a volume. */
    boolean mayActOnVolume(PrincipalId principal, int volume, Right right) {
        return allows(principal, right) || right.in(of(volume, principal).rights);
    }

    boolean mayActOnBucket(PrincipalId principal, Bucket bucket, Right right) {
        return mayActOnVolume(principal, bucket.volume, right)
                || tables.bucketGrants
                        .get(new BucketGrant(bucket.name, principal))
                        .filter(right::in)
                        .isPresent();
    }

    /** On something in a volume, so that its nodes must serve. Nodes read from their peers for repair. */
    boolean mayRead(PrincipalId principal, int volume) {
        return joined(principal)
                && (isNode(principal)
                        || mayActOnVolume(principal, volume, Right.READ)
                        || of(volume, principal).readable > 0);
    }

    boolean mayReadSomewhere(PrincipalId client) {
        if (allows(client, Right.READ)) {
            return true;
        }
        for (Table.Entry<Integer, Volumes.Definition> volume : tables.volumes.all()) {
            OnVolume on = of(volume.key(), client);
            if (on.rights.read() || on.readable > 0) {
                return true;
            }
        }
        return false;
    }

    /** On something in a volume. */
    boolean mayWrite(PrincipalId principal, int volume) {
        return joined(principal)
                && (mayActOnVolume(principal, volume, Right.WRITE) || of(volume, principal).writable > 0);
    }

    /**
     * Returns the number of clients that may write to a register volume under PASIS. Suspended clients count, since the
     * suspension may be lifted at any time, and doors that act for such a client.
     */
    int writersOfVersions() {
        Set<Integer> volumes = new HashSet<>();
        for (Table.Entry<Integer, Volumes.Definition> volume : tables.volumes.all()) {
            Volumes.Definition definition = volume.value();
            if (definition.kind() == VolumeKind.REGISTER
                    && definition.policy().protocol().isVersioned()) {
                volumes.add(volume.key());
            }
        }
        Set<PrincipalId> writers = new HashSet<>();
        if (!volumes.isEmpty()) {
            tables.grants.all().forEach(entry -> {
                if (entry.value().mayWrite()) {
                    writers.add(entry.key());
                }
            });
        }
        tables.volumeGrants.all().forEach(entry -> {
            if (entry.value().rights().write() && volumes.contains(entry.key().volume())) {
                writers.add(entry.key().client());
            }
        });
        Set<PrincipalId> doors = new HashSet<>();
        tables.actFor.all().forEach(entry -> {
            if (entry.value().write() && writers.contains(entry.key().person())) {
                doors.add(entry.key().door());
            }
        });
        writers.addAll(doors);
        return Math.toIntExact(writers.stream().filter(this::joined).count());
    }

    /**
     * Gives a client these rights in place of those that it has there; none take them away.
     *
     * @param by who has been found to administer the scope
     */
    void set(Command.SetGrant set, Optional<Volumes.Entry> volume, Optional<Bucket> bucket, Authority by) {
        PrincipalId client = set.client();
        CommandRefusal.refuseUnless(
                client.kind() == PrincipalKind.CLIENT,
                MetadataError.BAD_ARGUMENT,
                "only clients have grants, not " + client);
        CommandRefusal.refuseUnless(known(client), MetadataError.NO_SUCH_PRINCIPAL, client.toString());
        if (bucket.isPresent()) {
            setOn(bucket.get(), client, set.rights());
        } else if (volume.isPresent()) {
            int id = volume.get().volume().id();
            OnVolume before = of(id, client);
            put(id, client, new OnVolume(set.rights(), before.readable, before.writable));
        } else {
            CommandRefusal.refuseUnless(
                    set.rights().administer() || !client.equals(by.principal()),
                    MetadataError.BAD_ARGUMENT,
                    client + " cannot give up its own right to administer: another operator must take it");
            Rights rights = set.rights();
            if (rights.isNone() && tables.members.contains(client)) {
                tables.grants.remove(client);
            } else {
                // Without rights too, where it is this record by which a client of the genesis belongs.
                tables.grants.put(
                        client, new Genesis.Grant(client, rights.administer(), rights.read(), rights.write()));
            }
        }
        tables.weight.add(by.sender(), Weight.GRANT_BYTES);
    }

    /** All grants of a client. */
    Reply.GrantList list(PrincipalId client, Volumes volumes) {
        List<Reply.GrantEntry> entries = new ArrayList<>();
        if (!rightsEverywhere(client).isNone()) {
            entries.add(new Reply.GrantEntry(new Scope.All(), rightsEverywhere(client)));
        }
        for (Table.Entry<VolumeGrant, OnVolume> entry : tables.volumeGrants.all()) {
            Rights rights = entry.value().rights();
            if (entry.key().client().equals(client) && !rights.isNone() && entries.size() < LIST_MAX) {
                String name = volumes.byId(entry.key().volume()).volume().name();
                entries.add(new Reply.GrantEntry(new Scope.OfVolume(name), rights));
            }
        }
        for (Table.Entry<BucketGrant, Rights> entry : tables.bucketGrants.all()) {
            if (entry.key().client().equals(client) && entries.size() < LIST_MAX) {
                entries.add(new Reply.GrantEntry(new Scope.OfBucket(entry.key().bucket()), entry.value()));
            }
        }
        return new Reply.GrantList(entries);
    }

    /** Takes away all that a principal may do. */
    void removeAllOf(PrincipalId principal) {
        tables.grants.remove(principal);
        List<VolumeGrant> onVolumes = new ArrayList<>();
        tables.volumeGrants.all().forEach(entry -> onVolumes.add(entry.key()));
        onVolumes.stream().filter(key -> key.client().equals(principal)).forEach(tables.volumeGrants::remove);
        List<BucketGrant> onBuckets = new ArrayList<>();
        tables.bucketGrants.all().forEach(entry -> onBuckets.add(entry.key()));
        onBuckets.stream().filter(key -> key.client().equals(principal)).forEach(tables.bucketGrants::remove);
    }

    /** The bucket is deleted. */
    void forget(Bucket bucket) {
        List<PrincipalId> clients = new ArrayList<>();
        BucketGrant first = new BucketGrant(bucket.name, PrincipalId.client(0));
        BucketGrant last = new BucketGrant(bucket.name, PrincipalId.client(Integer.MAX_VALUE));
        tables.bucketGrants
                .range(first, last)
                .forEach(entry -> clients.add(entry.key().client()));
        clients.forEach(client -> setOn(bucket, client, Rights.NONE));
    }

    /** The volume is deleted. */
    void forgetVolume(int volume) {
        List<VolumeGrant> gone = new ArrayList<>();
        VolumeGrant first = new VolumeGrant(volume, PrincipalId.client(0));
        VolumeGrant last = new VolumeGrant(volume, PrincipalId.client(Integer.MAX_VALUE));
        tables.volumeGrants.range(first, last).forEach(entry -> gone.add(entry.key()));
        gone.forEach(tables.volumeGrants::remove);
    }

    static void require(boolean may, Authority by, String action) {
        CommandRefusal.refuseUnless(may, MetadataError.NOT_AUTHORISED, by + " may not " + action);
    }

    static void require(boolean may, PrincipalId principal, String action) {
        CommandRefusal.refuseUnless(may, MetadataError.NOT_AUTHORISED, principal + " may not " + action);
    }

    private void setOn(Bucket bucket, PrincipalId client, Rights rights) {
        BucketGrant key = new BucketGrant(bucket.name, client);
        Rights before = tables.bucketGrants.get(key).orElse(Rights.NONE);
        if (rights.isNone()) {
            tables.bucketGrants.remove(key);
        } else {
            tables.bucketGrants.put(key, rights);
        }
        OnVolume on = of(bucket.volume, client);
        put(
                bucket.volume,
                client,
                new OnVolume(
                        on.rights,
                        on.readable + one(rights.read()) - one(before.read()),
                        on.writable + one(rights.write()) - one(before.write())));
    }

    private void put(int volume, PrincipalId client, OnVolume on) {
        VolumeGrant key = new VolumeGrant(volume, client);
        if (on.equals(OnVolume.NOTHING)) {
            tables.volumeGrants.remove(key);
        } else {
            tables.volumeGrants.put(key, on);
        }
    }

    private Rights rightsEverywhere(PrincipalId principal) {
        return tables.grants
                .get(principal)
                .map(grant -> new Rights(grant.mayRead(), grant.mayWrite(), grant.mayAdminister()))
                .orElse(Rights.NONE);
    }

    private OnVolume of(int volume, PrincipalId client) {
        return tables.volumeGrants.get(new VolumeGrant(volume, client)).orElse(OnVolume.NOTHING);
    }

    private static int one(boolean yes) {
        return yes ? 1 : 0;
    }
}

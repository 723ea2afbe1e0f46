package io.bulwark.simulation.object;

import io.bulwark.protocol.bucket.GetFailure;
import io.bulwark.protocol.bucket.ObjectVersion;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** The faulty clients of a world, correct ones that read what these put, and who revokes them. */
final class FaultyClients {
    private final ObjectWorld world;
    private final List<FaultyClient> all;
    private final List<ObjectClient> readers;
    private final String bucket;
    private final ObjectInvariants invariants;
    private final Random random;
    /** Nobody is revoked unless this is there. */
    private final Optional<RevokingOperator> revoking;

    FaultyClients(
            ObjectWorld world,
            List<FaultyClient> all,
            List<ObjectClient> readers,
            String bucket,
            ObjectInvariants invariants,
            Optional<RevokingOperator> revoking,
            Random random) {
        this.world = world;
        this.all = all;
        this.readers = readers;
        this.bucket = bucket;
        this.invariants = invariants;
        this.revoking = revoking;
        this.random = random;
    }

    void step() {
        if (all.isEmpty()) {
            return;
        }
        FaultyClient client = all.get(random.nextInt(all.size()));
        client.step();
        if (random.nextInt(3) == 0) {
            ObjectClient reader = readers.get(random.nextInt(readers.size()));
            List<String> keys = FaultyClient.keys(client.self());
            read(reader, client.self(), keys.get(random.nextInt(keys.size())));
        }
        revoking.ifPresent(RevokingOperator::step);
    }

    /** All is well but who lies. */
    void healed() {
        revoking.ifPresent(RevokingOperator::revokeAll);
    }

    void check() {
        revoking.ifPresent(RevokingOperator::check);
    }

    void readAll() {
        for (FaultyClient client : all) {
            for (String key : FaultyClient.keys(client.self())) {
                read(readers.getFirst(), client.self(), key);
                read(readers.getLast(), client.self(), key);
            }
        }
        revoking.ifPresent(RevokingOperator::readBystanders);
    }

    private void read(ObjectClient client, PrincipalId owner, String key) {
        world.begins();
        Optional<RevokingOperator.ClientState> standing = revoking.flatMap(by -> by.standingOf(owner));
        client.query(new Query.FindObject(bucket, key, 0), reply -> {
            reply.ifPresent(known -> standing.ifPresent(then -> RevokingOperator.finds(key, then, known)));
            if (!(reply.orElse(null) instanceof Reply.ObjectFound found)) {
                world.ends();
                return;
            }
            Inode inode = found.inode();
            boolean mustBeThere = world.isSettled() && invariants.isGot(inode.id());
            client.get(world.volume(), ObjectVersion.of(bucket, key, found), 0, Long.MAX_VALUE, got -> {
                switch (got) {
                    case ObjectClient.RangeResult.Content(Bytes bytes) ->
                        invariants.recordFaultyRead(inode.id(), bytes);
                    case ObjectClient.RangeResult.Failed(GetFailure failure)
                    when mustBeThere && !(failure instanceof GetFailure.Changed) ->
                        throw ObjectInvariants.STAYS_READABLE.violation(
                                "inode " + inode.id(), "was read, then " + failure);
                    case ObjectClient.RangeResult.Failed _, ObjectClient.RangeResult.Unknown _ -> {}
                }
                world.ends();
            });
        });
    }

    /** Returns the number of revoked clients. */
    int revoked() {
        return revoking.map(RevokingOperator::revoked).orElse(0);
    }
}

package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Members of the cluster and their keys, as operators have changed them since the genesis (docs/protocols/metadata.md). A
 * principal without an entry has the key that the genesis file gives it. Revocation is for good: neither the principal
 * nor its keys come back.
 */
final class Registry {
    private static final int VERSION = 0;

    private final Tables tables;
    private final SessionTable sessions;
    private final Inodes inodes;
    private final Grants grants;
    private final GenesisKeys genesis;

    /**
     * An entry.
     *
     * @param keys the newest first; none once it is revoked
     */
    record Entry(List<PrincipalKey> keys, boolean revoked) {
        Entry {
            keys = List.copyOf(keys);
            if (keys.size() > Command.KEYS_MAX || revoked != keys.isEmpty()) {
                throw new IllegalArgumentException(keys.size() + " keys");
            }
        }

        void write(WireWriter out) {
            Lists.write(keys, out, PrincipalKey::write);
            out.bool(revoked);
        }

        static Entry read(WireReader in) {
            return new Entry(Lists.read(in, Command.KEYS_MAX, PrincipalKey::read), in.bool());
        }
    }

    Registry(Tables tables, SessionTable sessions, Inodes inodes, Grants grants, GenesisKeys genesis) {
        this.tables = tables;
        this.sessions = sessions;
        this.inodes = inodes;
        this.grants = grants;
        this.genesis = genesis;
    }

    void add(Command.AddPrincipal add, PrincipalId by) {
        PrincipalId principal = add.principal();
        requireNew(principal);
        put(principal, List.of(add.key()), by);
    }

    /** Lets somebody in with a key that is good for nothing but to be exchanged. */
    void invite(Command.InvitePrincipal invite, PrincipalId by) {
        PrincipalId principal = invite.principal();
        if (!tables.invitations.contains(principal)) {
            requireNew(principal);
        }
        long now = tables.totals().agreedMillis;
        CommandRefusal.refuseUnless(
                invite.expiresMillis() > now && invite.expiresMillis() - now <= Command.INVITATION_MILLIS_MAX,
                MetadataError.BAD_ARGUMENT,
                "an invitation is valid for at most 30 days and must end in the future");
        CommandRefusal.refuseUnless(
                !tables.keyOwners.contains(invite.key()),
                MetadataError.KEY_USED,
                "the key of an invitation cannot be used elsewhere");
        put(principal, List.of(invite.key()), by);
        tables.invitations.put(principal, invite.expiresMillis());
    }

    /** Returns whether it is invited, and has not given itself a key of its own. */
    boolean isInvited(PrincipalId principal) {
        return tables.invitations.contains(principal);
    }

    /** Returns whether it belongs, with a key of its own. */
    boolean joined(PrincipalId principal) {
        return grants.joined(principal);
    }

    /** Refuses one whose invitation has expired. */
    void requireInTime(PrincipalId principal) {
        CommandRefusal.refuseUnless(
                tables.invitations.get(principal).orElse(Long.MAX_VALUE) > tables.totals().agreedMillis,
                MetadataError.NOT_AUTHORISED,
                "the invitation of " + principal + " has expired");
    }

    private void requireNew(PrincipalId principal) {
        CommandRefusal.refuseUnless(
                principal.kind() == PrincipalKind.CLIENT || principal.kind() == PrincipalKind.NODE,
                MetadataError.BAD_ARGUMENT,
                principal + " cannot be added: only clients and nodes can");
        CommandRefusal.refuseUnless(
                !grants.known(principal) && tables.members.get(principal).isEmpty(),
                MetadataError.PRINCIPAL_EXISTS,
                principal.toString());
    }

    /** Other keys for a principal. */
    void rotate(Command.RotateKey rotate, PrincipalId by) {
        PrincipalId principal = rotate.principal();
        CommandRefusal.refuseUnless(grants.known(principal), MetadataError.NO_SUCH_PRINCIPAL, principal.toString());
        CommandRefusal.refuseUnless(
                !isInvited(principal)
                        || (rotate.keys().size() == 1
                                && !keysOf(principal).contains(rotate.keys().getFirst())),
                MetadataError.BAD_ARGUMENT,
                "the key of an invitation must be replaced by exactly one other key");
        put(principal, rotate.keys(), by);
        tables.invitations.remove(principal);
    }

    /**
     * Closes the principal's sessions, so that its pending operations take no effect, and refuses all its later
     * messages.
     *
     * @param by the principal whose rights count
     */
    void revoke(Command.RevokePrincipal revoke, PrincipalId by) {
        PrincipalId principal = revoke.principal();
        CommandRefusal.refuseUnless(
                principal.kind() != PrincipalKind.REPLICA && principal.kind() != PrincipalKind.NONE,
                MetadataError.BAD_ARGUMENT,
                principal + " cannot be revoked: only clients and nodes can");
        CommandRefusal.refuseUnless(
                !principal.equals(by),
                MetadataError.BAD_ARGUMENT,
                principal + " cannot revoke itself: another operator must");
        if (revoked(principal)) {
            return;
        }
        CommandRefusal.refuseUnless(grants.known(principal), MetadataError.NO_SUCH_PRINCIPAL, principal.toString());
        sessions.openOf(principal).forEach(inodes::close);
        grants.removeAllOf(principal);
        tables.invitations.remove(principal);
        tables.members.put(principal, new Entry(List.of(), true));
        changed();
    }

    /** Refuses replicas with names or keys that anybody has, or once had. */
    void requireNeverSeen(List<Member> replicas) {
        for (Member member : replicas) {
            PrincipalKey key = new PrincipalKey(member.key());
            CommandRefusal.refuseUnless(
                    !genesis.keys().containsKey(member.replica())
                            && tables.members.get(member.replica()).isEmpty(),
                    MetadataError.PRINCIPAL_EXISTS,
                    member.replica().toString());
            CommandRefusal.refuseUnless(
                    !genesis.keys().containsValue(key) && !tables.keyOwners.contains(key),
                    MetadataError.KEY_USED,
                    "the key of " + member.replica());
        }
    }

    /** These replicas come, which were never seen. */
    void letIn(List<Member> coming, PrincipalId by) {
        coming.forEach(member -> put(member.replica(), List.of(new PrincipalKey(member.key())), by));
    }

    /** A replica is one no more, for good. */
    void putOut(PrincipalId replica) {
        tables.members.put(replica, new Entry(List.of(), true));
        changed();
    }

    /** The keys of a principal, the newest first. */
    List<PrincipalKey> keysOf(PrincipalId principal) {
        return tables.members
                .get(principal)
                .map(Entry::keys)
                .orElseGet(() -> Optional.ofNullable(genesis.keys().get(principal)).stream()
                        .toList());
    }

    /**
     * Returns the signature of a command with the key that made it, one of those that its submitter has now.
     *
     * @return empty if it is not signed
     * @throws CommandRefusal if none of these keys made the signature
     */
    Optional<AuditEntry.Approval> approval(PrincipalId by, Submission.InSession submission, Command.Signed command) {
        Bytes signature = submission.signature();
        if (signature.isEmpty()) {
            return Optional.empty();
        }
        Bytes signed = AuditEntry.signed(
                genesis.cluster(), by, submission.onBehalfOf(), submission.session(), submission.number(), command);
        for (PrincipalKey key : keysOf(by)) {
            if (key.verifies(signed, signature)) {
                return Optional.of(new AuditEntry.Approval(key, signature));
            }
        }
        throw new CommandRefusal(
                MetadataError.BAD_SIGNATURE, "no key of " + by + " has made the signature of this command");
    }

    boolean revoked(PrincipalId principal) {
        return tables.members.get(principal).filter(Entry::revoked).isPresent();
    }

    /** The entries behind a principal, or none if nothing has changed since this version. */
    Reply.PrincipalList list(Query.ListPrincipals list) {
        long version = version();
        if (version == list.knownVersion()) {
            return new Reply.PrincipalList(version, List.of(), PrincipalId.NOBODY);
        }
        List<Reply.PrincipalEntry> page = new ArrayList<>();
        for (Table.Entry<PrincipalId, Entry> entry : tables.members.from(list.after())) {
            if (entry.key().equals(list.after())) {
                continue;
            }
            if (page.size() == list.limit()) {
                return new Reply.PrincipalList(version, page, page.getLast().principal());
            }
            page.add(new Reply.PrincipalEntry(
                    entry.key(),
                    entry.value().keys(),
                    tables.invitations.get(entry.key()).orElse(0L)));
        }
        return new Reply.PrincipalList(version, page, PrincipalId.NOBODY);
    }

    private void put(PrincipalId principal, List<PrincipalKey> keys, PrincipalId by) {
        for (PrincipalKey key : keys) {
            Optional<PrincipalId> owner = tables.keyOwners.get(key);
            CommandRefusal.refuseUnless(
                    owner.isEmpty() || owner.get().equals(principal),
                    MetadataError.KEY_USED,
                    "it belongs or belonged to "
                            + owner.map(PrincipalId::toString).orElse(""));
        }
        keys.forEach(key -> tables.keyOwners.put(key, principal));
        tables.weight.add(by, Weight.KEY_BYTES);
        tables.members.put(principal, new Entry(keys, false));
        changed();
    }

    /** The number of changes. */
    long version() {
        return tables.registryVersion.get(VERSION).orElse(0L);
    }

    private void changed() {
        tables.registryVersion.put(VERSION, version() + 1);
    }
}

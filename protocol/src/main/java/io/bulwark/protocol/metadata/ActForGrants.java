package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.Grants.Right;
import io.bulwark.protocol.metadata.Tables.ActForKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Grants by which a client, the door, acts for others, the persons (docs/decisions/0025). Replicas judge a request on
 * behalf of a person by that person's rights below the grant's ceiling. Nodes know the authenticated sender only: they
 * are bounded by the union of all that a door may do for anybody. Grants are no chain, since the person's own rights
 * count, without what others let him do for them.
 */
final class ActForGrants {
    private final Tables tables;
    private final Grants grants;
    private final Suspensions suspensions;

    ActForGrants(Tables tables, Grants grants, Suspensions suspensions) {
        this.tables = tables;
        this.grants = grants;
        this.suspensions = suspensions;
    }

    /** @param by who has been found to administer the cluster, and is charged */
    void set(Command.SetActFor set, PrincipalId by) {
        requireJoined(set.door());
        requireJoined(set.person());
        CommandRefusal.refuseUnless(
                !set.door().equals(set.person()),
                MetadataError.BAD_ARGUMENT,
                set.door() + " acts for itself without a grant");
        ActForKey key = new ActForKey(set.door(), set.person());
        if (set.ceiling().isNone()) {
            tables.actFor.remove(key);
            return;
        }
        CommandRefusal.refuseUnless(
                tables.actFor.contains(key) || entriesOf(set.door()).count() < Command.ACT_FOR_MAX,
                MetadataError.LIMIT_REACHED,
                set.door() + " acts for " + Command.ACT_FOR_MAX + " persons already");
        tables.actFor.put(key, set.ceiling());
        tables.weight.add(by, Weight.GRANT_BYTES);
    }

    private void requireJoined(PrincipalId principal) {
        CommandRefusal.refuseUnless(
                principal.kind() == PrincipalKind.CLIENT,
                MetadataError.BAD_ARGUMENT,
                "only clients act for clients, not " + principal);
        CommandRefusal.refuseUnless(grants.joined(principal), MetadataError.NO_SUCH_PRINCIPAL, principal.toString());
    }

    /** Returns the authority of a request; refuses a door without a grant over the person. */
    Authority authority(PrincipalId sender, Optional<PrincipalId> onBehalfOf) {
        if (onBehalfOf.isEmpty()) {
            return Authority.own(sender);
        }
        PrincipalId person = onBehalfOf.get();
        Rights ceiling = tables.actFor.get(new ActForKey(sender, person)).orElse(Rights.NONE);
        Grants.require(!ceiling.isNone() && grants.joined(person), sender, "act for " + person);
        return new Authority(sender, onBehalfOf, ceiling);
    }

    /** Returns whether nodes must serve a principal: it may do this itself, or on behalf of a person. */
    boolean reaches(PrincipalId principal, int volume, Right right) {
        return may(principal, volume, right)
                || (isFree(principal, right)
                        && entriesOf(principal)
                                .anyMatch(entry -> right.in(entry.value())
                                        && may(entry.key().person(), volume, right)));
    }

    /** Returns whether the authority extends to something in a volume. */
    boolean may(Authority by, int volume, Right right) {
        return by.includes(right) && isFree(by.sender(), right) && may(by.principal(), volume, right);
    }

    private boolean may(PrincipalId principal, int volume, Right right) {
        return isFree(principal, right)
                && (right == Right.READ ? grants.mayRead(principal, volume) : grants.mayWrite(principal, volume));
    }

    /** The principal belongs, and is not suspended from this. */
    private boolean isFree(PrincipalId principal, Right right) {
        return grants.joined(principal) && (right == Right.READ || !suspensions.suspended(principal));
    }

    /** A page of the persons of a door. */
    Reply.ActForList list(Query.ListActFor list, Authority asker, boolean all) {
        List<Reply.ActForEntry> page = new ArrayList<>();
        for (Table.Entry<ActForKey, Rights> entry : tables.actFor.from(new ActForKey(list.door(), list.after()))) {
            PrincipalId person = entry.key().person();
            if (!entry.key().door().equals(list.door())) {
                break;
            }
            if (person.equals(list.after()) || !(all || person.equals(asker.principal()))) {
                continue;
            }
            if (page.size() == list.limit()) {
                return new Reply.ActForList(page, page.getLast().person());
            }
            page.add(new Reply.ActForEntry(person, entry.value()));
        }
        return new Reply.ActForList(page, PrincipalId.NOBODY);
    }

    /** Ends all grants of a revoked door or person. */
    void forget(PrincipalId revoked) {
        List<ActForKey> ended = new ArrayList<>();
        tables.actFor.all().forEach(entry -> ended.add(entry.key()));
        ended.stream()
                .filter(key -> key.door().equals(revoked) || key.person().equals(revoked))
                .forEach(tables.actFor::remove);
    }

    private Stream<Table.Entry<ActForKey, Rights>> entriesOf(PrincipalId door) {
        return StreamSupport.stream(
                        tables.actFor
                                .from(new ActForKey(door, PrincipalId.NOBODY))
                                .spliterator(),
                        false)
                .takeWhile(entry -> entry.key().door().equals(door));
    }
}

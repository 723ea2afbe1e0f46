package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import java.util.ArrayList;
import java.util.List;

/**
 * Chain of configurations that its holder has learned of: each has a proof, and the first is the one that it trusts by
 * setup. Only the last one counts.
 */
public final class ConfigurationChain implements Succession {
    private final Configuration first;
    private final Signatures keys;
    private final OperatorAuthorizations authorizations;
    private final List<Successor> successors = new ArrayList<>();
    private final SenderRateLimit checks = new SenderRateLimit(1);
    private ConfigurationStart term;

    /** @param first which was told by other means: the genesis, or an operator */
    public ConfigurationChain(Configuration first, Signatures keys, OperatorAuthorizations authorizations) {
        this.first = first;
        this.keys = keys;
        this.authorizations = authorizations;
        term = ConfigurationStart.first(first);
    }

    @Override
    public ConfigurationStart term() {
        return term;
    }

    public Configuration configuration() {
        return term.configuration();
    }

    @Override
    public boolean mayCheck(long nowMillis, PrincipalId from) {
        return checks.allows(nowMillis, from);
    }

    @Override
    public boolean accept(Successor said) {
        HandoverProof proof = said.proof();
        return proof.proves(term.configuration(), keys)
                && authorizations.name(term.configuration(), proof.handover().next(), said.authorization())
                && follow(said);
    }

    /**
     * As {@link #accept}, of what needs no mandate to be believed: its state says the same, or it was believed before.
     */
    public boolean acceptKnown(Successor said) {
        return said.proof().proves(term.configuration(), keys) && follow(said);
    }

    private boolean follow(Successor said) {
        successors.add(said);
        term = said.proof().term();
        checks.clear();
        return true;
    }

    /** Returns whether a member has come with the last configuration: no earlier one of this lineage has it. */
    public boolean isNew(PrincipalId member) {
        return first.placeOf(member) < 0
                && configuration().placeOf(member) >= 0
                && proofs().stream()
                        .map(proof -> proof.term().configuration())
                        .allMatch(each -> each.number() == configuration().number() || each.placeOf(member) < 0);
    }

    /** Another one that knows as much. */
    public ConfigurationChain copy() {
        ConfigurationChain copy = new ConfigurationChain(first, keys, authorizations);
        copy.successors.addAll(successors);
        copy.term = term;
        return copy;
    }

    /** Returns the proofs in order, to rebuild the same chain. */
    public List<HandoverProof> proofs() {
        return successors.stream().map(Successor::proof).toList();
    }

    /** The same, each with its mandate. */
    public List<Successor> successors() {
        return List.copyOf(successors);
    }

    /** Returns whether this lineage has the proof that ended the configuration with this number. */
    public boolean hasProofOf(long number) {
        return number >= first.number() && number < term.number();
    }

    /** Returns the successor of the configuration with this number. */
    public Successor successorOf(long number) {
        return successors.get((int) (number - first.number()));
    }
}

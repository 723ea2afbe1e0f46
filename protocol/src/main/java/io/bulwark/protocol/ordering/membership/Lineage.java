package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayList;
import java.util.List;

/**
 * The configurations that somebody has learned of, one after the other: a chain of proofs that begins with the one he was set up
 * to believe. Only the last one counts.
 */
public final class Lineage implements Succession {
    private final Configuration first;
    private final Signatures keys;
    private final List<HandoverProof> proofs = new ArrayList<>();
    private final Pace checks = new Pace(1);
    private Term term;

    /** @param first which was told by other means: the genesis, or an operator */
    public Lineage(Configuration first, Signatures keys) {
        this.first = first;
        this.keys = keys;
        term = Term.first(first);
    }

    @Override
    public Term term() {
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
    public boolean accept(HandoverProof proof) {
        if (!proof.proves(term.configuration(), keys)) {
            return false;
        }
        proofs.add(proof);
        term = proof.term();
        checks.clear();
        return true;
    }

    /** Another one that knows as much. */
    public Lineage copy() {
        Lineage copy = new Lineage(first, keys);
        copy.proofs.addAll(proofs);
        copy.term = term;
        return copy;
    }

    /** In order, for whoever begins with these again. */
    public List<HandoverProof> proofs() {
        return List.copyOf(proofs);
    }

    /** Whether this says how the configuration with this number ended. */
    public boolean hasProofOf(long number) {
        return number >= first.number() && number < term.number();
    }

    /** How the configuration with this number ended. */
    public HandoverProof proofOf(long number) {
        return proofs.get((int) (number - first.number()));
    }
}

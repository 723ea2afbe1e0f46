package io.bulwark.client;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.AccessKey;
import io.bulwark.protocol.metadata.Gateways;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Access keys, with which programs sign requests to gateways, and the gateways. A gateway acts for the person of a key by
 * its act-for grant ({@link Principals#setActFor}). The secret of a key is sealed for each gateway, and for the operator
 * who named the gateways: the keeper, who can seal it for gateways to come. Replicas never see it. Changes need the right to administer.
 */
public interface AccessKeys {
    /** An access key, and for whom its secret is sealed. */
    record Entry(AccessKey key, List<PrincipalId> readers) {
        public Entry {
            readers = List.copyOf(readers);
        }

        public Optional<Instant> expires() {
            return key.expiresMillis() == 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(key.expiresMillis()));
        }
    }

    /**
     * An access key with its secret.
     *
     * @param secret 40 letters and digits
     */
    record Issued(AccessKey key, String secret) {
        /** Names the key, never the secret. */
        @Override
        public String toString() {
            return "access key " + key.id() + " of " + key.person();
        }
    }

    /**
     * Result of sealing for gateways.
     *
     * @param sealed ids of the keys that all gateways have now
     * @param unopened ids of the keys whose secret this client does not have; {@link #rotate} replaces them
     */
    record Sealing(List<String> sealed, List<String> unopened) {
        public Sealing {
            sealed = List.copyOf(sealed);
            unopened = List.copyOf(unopened);
        }
    }

    /** Returns all keys, ascending by id. */
    List<Entry> list();

    /** Returns the keys of a person, who may ask this himself. */
    List<Entry> list(PrincipalId person);

    /** Returns a key by its id, to administrators. */
    Optional<Entry> find(String id);

    /**
     * Makes a key, and its person if the specification names none. Nothing but the returned value has the secret in plain.
     *
     * @throws io.bulwark.client.error.InvalidRequestException if no gateway is named, or one has no public key
     */
    Issued create(AccessKeySpec spec);

    /**
     * Makes another key of the same person, with the same name and limits. The old one ends after a time, in which
     * programs change over.
     */
    Issued rotate(String id, Duration overlap);

    /** Changes the places that a key reaches. Gateways follow within seconds. */
    void limit(String id, List<AccessKey.Limit> limits);

    /**
     * Ends a key for good. With the last key of a person the gateways' act-for grants over that person end too, unless
     * requests without a signature are made for that person.
     */
    void revoke(String id);

    /** Returns a key with its secret to a gateway that may act for the person; empty if this client may not have it. */
    Optional<Issued> open(String id);

    /** Returns the gateways. */
    Gateways gateways();

    /**
     * Names a gateway, which gets the act-for grants of those named before. This client becomes the keeper, unless it acts
     * on behalf of a person. Call {@link #seal} then, for the keys that are there.
     */
    void addGateway(PrincipalId door);

    /** Takes a gateway out, and all act-for grants over persons with keys away from it. */
    void removeGateway(PrincipalId door);

    /**
     * Makes all gateways act for this person where a request has no signature.
     *
     * @param person empty to refuse such requests
     */
    void setAnonymous(Optional<PrincipalId> person);

    /**
     * Seals the secrets that this client can open for all gateways.
     *
     * @param again also those that every gateway has, for one whose identity was exchanged
     */
    Sealing seal(boolean again);
}

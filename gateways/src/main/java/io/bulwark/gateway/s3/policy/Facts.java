package io.bulwark.gateway.s3.policy;

import java.util.List;

/** Facts about a request that conditions of a policy may ask for. */
@FunctionalInterface
public interface Facts {
    /**
     * Returns the values of a condition key; none if the request does not have it.
     *
     * @param key as the policy spells it, in lower case up to a slash
     */
    List<String> values(String key);
}

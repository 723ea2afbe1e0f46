package io.bulwark.client;

import java.util.List;

/**
 * One page of a listing of versions. It may be empty and still have a successor.
 *
 * @param last whether no page follows
 * @param nextKey with {@code nextVersion} where the next page begins; empty if there is none
 */
public record VersionPage(
        List<VersionInfo> versions, List<String> commonPrefixes, boolean last, String nextKey, long nextVersion) {
    public VersionPage {
        versions = List.copyOf(versions);
        commonPrefixes = List.copyOf(commonPrefixes);
    }
}

package io.bulwark.gateway.s3.object;

import io.bulwark.gateway.s3.body.ChecksumAlgorithm;
import io.bulwark.gateway.s3.permission.ObjectAccess;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Names of the properties in which versions keep what S3 knows of them, and the headers that these become. */
final class Properties {
    /** Headers that are kept and returned as they came. */
    static final List<String> HTTP =
            List.of("cache-control", "content-disposition", "content-encoding", "content-language", "expires");

    /** Prefix of headers with metadata of the user, which are kept under the same name. */
    static final String META = "x-amz-meta-";

    /** Prefix of checksums, followed by the name of the algorithm in lower case. */
    static final String CHECKSUM = ChecksumAlgorithm.HEADER_PREFIX;

    static final String CHECKSUM_TYPE = "x-amz-checksum-type";

    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

    private Properties() {}

    /** Returns the headers of a response that properties become. Other doors may write what cannot be a header. */
    static SortedMap<String, String> headers(Map<String, String> properties, boolean withChecksums) {
        SortedMap<String, String> headers = new TreeMap<>();
        int missing = 0;
        for (Map.Entry<String, String> property : properties.entrySet()) {
            String name = property.getKey();
            if (HTTP.contains(name) || name.startsWith(META) || (withChecksums && name.startsWith(CHECKSUM))) {
                if (TOKEN.matcher(name).matches() && isPrintable(property.getValue())) {
                    headers.put(name, property.getValue());
                } else {
                    missing++;
                }
            }
        }
        if (missing > 0) {
            headers.put("x-amz-missing-meta", Integer.toString(missing));
        }
        return headers;
    }

    /** Returns whether a text can be the value of a header. */
    static boolean isPrintable(String value) {
        return value.chars().noneMatch(Character::isISOControl);
    }

    /** Returns the properties that are about the content, which a copy has, too. */
    static SortedMap<String, String> ofContent(Map<String, String> properties) {
        SortedMap<String, String> kept = new TreeMap<>(properties);
        kept.keySet().removeIf(name -> isUsers(name) || name.equals(ObjectAccess.OWNER));
        return kept;
    }

    /** Returns the properties that whoever put the object has chosen. */
    static SortedMap<String, String> ofUser(Map<String, String> properties) {
        SortedMap<String, String> kept = new TreeMap<>(properties);
        kept.keySet().removeIf(name -> !isUsers(name));
        return kept;
    }

    private static boolean isUsers(String name) {
        return HTTP.contains(name) || name.startsWith(META);
    }
}

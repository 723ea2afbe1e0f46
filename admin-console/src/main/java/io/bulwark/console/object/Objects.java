package io.bulwark.console.object;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.DeleteOptions;
import io.bulwark.client.FragmentMap;
import io.bulwark.client.ListOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.ObjectOutputStream;
import io.bulwark.client.ObjectPage;
import io.bulwark.client.Precondition;
import io.bulwark.client.PutOptions;
import io.bulwark.client.VersionInfo;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.console.access.SignedIn;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.http.Page;
import io.bulwark.console.http.Paging;
import jakarta.servlet.ServletInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Work on objects that the API and the pages share. */
@Component
class Objects {
    private static final int BUFFER_BYTES = 64 << 10;

    private final SignedIn signedIn;

    Objects(SignedIn signedIn) {
        this.signedIn = signedIn;
    }

    /**
     * Request to copy or rename an object.
     *
     * @param key of the object
     * @param toBucket the same bucket if left out
     * @param toKey the new key
     * @param ifAbsent whether an object of the new key is an error
     */
    record Target(
            @Nullable String key,
            @Nullable String toBucket,
            @Nullable String toKey,
            @Nullable Boolean ifAbsent) {
        Precondition precondition() {
            return Boolean.TRUE.equals(ifAbsent) ? Precondition.IF_ABSENT : Precondition.NONE;
        }
    }

    Bucket bucket(String name) {
        return signedIn.client().bucket(name);
    }

    ObjectListing list(String bucket, String prefix, String delimiter, int limit, @Nullable String cursor) {
        ListOptions options = ListOptions.DEFAULT
                .withPrefix(prefix)
                .withDelimiter(delimiter)
                .withLimit(Paging.limit(limit))
                .withContinuation(cursor == null ? "" : cursor);
        ObjectPage page;
        try {
            page = bucket(bucket).list(options);
        } catch (InvalidRequestException e) {
            throw ApiException.badField("cursor", String.valueOf(e.getMessage()));
        }
        return new ObjectListing(
                page.objects().stream().map(ObjectView::of).toList(),
                page.commonPrefixes(),
                page.last() ? null : page.continuation());
    }

    ObjectView head(String bucket, String key, long version) {
        return ObjectView.of(bucket(bucket).head(key, checkedVersion(version)));
    }

    /** Lists versions, by key and newest first. */
    Page<VersionView> versions(String bucket, String prefix, int limit, @Nullable String cursor) {
        Cursor from = Cursor.of(cursor);
        return page(bucket, prefix, from, Paging.limit(limit), false);
    }

    /** Lists the versions of exactly this key, newest first. */
    Page<VersionView> versionsOf(String bucket, String key, int limit, @Nullable String cursor) {
        return page(bucket, key, Cursor.of(cursor), Paging.limit(limit), true);
    }

    private Page<VersionView> page(String bucket, String prefix, Cursor from, int limit, boolean exact) {
        List<VersionView> found = new ArrayList<>();
        try (Stream<VersionInfo> all = bucket(bucket).versions(prefix, from.key, from.version)) {
            Iterator<VersionInfo> each = all.iterator();
            while (each.hasNext()) {
                VersionInfo version = each.next();
                // The key itself comes before all longer ones.
                if (exact && !version.key().equals(prefix)) {
                    break;
                }
                if (found.size() == limit) {
                    VersionView last = found.getLast();
                    return new Page<>(found, new Cursor(last.key(), last.version()).text());
                }
                found.add(VersionView.of(version));
            }
        }
        return new Page<>(found, null);
    }

    /** The last version of the part before. */
    private record Cursor(String key, long version) {
        static Cursor of(@Nullable String text) {
            if (text == null) {
                return new Cursor("", 0);
            }
            int dot = text.indexOf('.');
            try {
                long version = Long.parseLong(text.substring(0, Math.max(dot, 0)));
                byte[] key = Base64.getUrlDecoder().decode(text.substring(dot + 1));
                if (version > 0) {
                    return new Cursor(new String(key, StandardCharsets.UTF_8), version);
                }
            } catch (IllegalArgumentException e) {
                // The message below covers it.
            }
            throw ApiException.badField("cursor", "not a cursor of a list of versions");
        }

        String text() {
            return version + "."
                    + Base64.getUrlEncoder().withoutPadding().encodeToString(key.getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * Stores the body as it comes. If it breaks, or is not as long as announced, there is no object.
     *
     * @param announced the length of the body; -1 if unknown
     */
    ObjectInfo upload(String bucket, String key, ServletInputStream body, long announced, PutOptions options)
            throws IOException {
        ObjectOutputStream object = bucket(bucket).newOutputStream(key, options);
        boolean whole = false;
        try {
            byte[] buffer = new byte[BUFFER_BYTES];
            long length = 0;
            for (int count = body.read(buffer); count >= 0; count = body.read(buffer)) {
                object.write(buffer, 0, count);
                length += count;
            }
            // A connection that breaks between two chunks looks like the end of the body to a reader.
            if (!body.isFinished() || (announced >= 0 && length != announced)) {
                throw ApiException.badField(
                        "body",
                        "the body broke off after " + length + (announced >= 0 ? " of " + announced : "") + " bytes");
            }
            whole = true;
        } finally {
            if (!whole) {
                object.abort();
            }
        }
        object.close();
        return object.result();
    }

    /**
     * Returns the condition that the headers of a put state.
     *
     * @throws ApiException if they state none that a put can have
     */
    Precondition precondition(String bucket, String key, @Nullable String ifMatch, @Nullable String ifNoneMatch) {
        if (ifNoneMatch != null) {
            if (ifMatch != null || !ifNoneMatch.trim().equals("*")) {
                throw ApiException.badField(
                        "If-None-Match", "a put knows If-None-Match: * or If-Match with one tag, and not both");
            }
            return Precondition.IF_ABSENT;
        }
        if (ifMatch == null) {
            return Precondition.NONE;
        }
        if (ifMatch.trim().equals("*")) {
            return Precondition.ifVersion(head(bucket, key, 0).version());
        }
        return ifVersion(ifMatch);
    }

    private static Precondition ifVersion(String ifMatch) {
        String tag = ifMatch.trim();
        if (!tag.matches("\"[1-9][0-9]{0,17}\"")) {
            throw ApiException.changedMeanwhile("no version of an object has the tag " + ifMatch);
        }
        return Precondition.ifVersion(Long.parseLong(tag.substring(1, tag.length() - 1)));
    }

    /**
     * Returns the tags that parameters of the form {@code name=value} give.
     *
     * @throws ApiException if one has another form
     */
    static SortedMap<String, String> tags(String @Nullable [] given) {
        SortedMap<String, String> tags = new TreeMap<>();
        if (given != null) {
            for (String tag : given) {
                int sign = tag.indexOf('=');
                if (sign < 1) {
                    throw ApiException.badField("tag", "a tag is given as name=value, not \"" + tag + "\"");
                }
                tags.put(tag.substring(0, sign), tag.substring(sign + 1));
            }
        }
        return tags;
    }

    /**
     * Deletes an object or a version. The replicas judge the condition in the step that deletes.
     *
     * @param ifMatch tag of the version that the client read; null or {@code *} for any
     */
    void delete(String bucket, String key, long version, @Nullable String ifMatch) {
        DeleteOptions options = DeleteOptions.DEFAULT.withVersion(checkedVersion(version));
        var _ = bucket(bucket)
                .delete(
                        key,
                        ifMatch == null || ifMatch.trim().equals("*")
                                ? options
                                : options.withPrecondition(ifVersion(ifMatch)));
    }

    /**
     * Replaces the tags of a version.
     *
     * @param ifMatch tag of the version that the client read; null for any
     */
    ObjectView setTags(
            String bucket, String key, long version, SortedMap<String, String> tags, @Nullable String ifMatch) {
        Bucket in = bucket(bucket);
        ObjectInfo object = in.head(key, checkedVersion(version));
        VersionTags.check(ifMatch, VersionTags.of(object.version()));
        in.setTags(key, object.version(), tags);
        return ObjectView.of(in.head(key, object.version()));
    }

    ObjectView copy(String bucket, Target target) {
        Bulwark client = signedIn.client();
        Bucket from = client.bucket(bucket);
        return ObjectView.of(from.copy(
                needed("key", target.key),
                to(client, from, target),
                needed("toKey", target.toKey),
                target.precondition()));
    }

    ObjectView rename(String bucket, Target target) {
        Bulwark client = signedIn.client();
        Bucket from = client.bucket(bucket);
        return ObjectView.of(from.rename(
                needed("key", target.key),
                to(client, from, target),
                needed("toKey", target.toKey),
                target.precondition()));
    }

    FragmentView fragments(String bucket, String key, long version, int limit, @Nullable String cursor) {
        int count = Paging.within("limit", limit, FragmentMap.EXTENTS_MAX);
        long first = 0;
        if (cursor != null) {
            if (!cursor.matches("[0-9]{1,15}")) {
                throw ApiException.badField("cursor", "not a cursor of a fragment map");
            }
            first = Long.parseLong(cursor);
        }
        return FragmentView.of(bucket(bucket).fragments(key, checkedVersion(version), first, count));
    }

    static long checkedVersion(long version) {
        if (version < 0) {
            throw ApiException.badField("version", "versions are counted from 1; 0 is the latest");
        }
        return version;
    }

    private static Bucket to(Bulwark client, Bucket from, Target target) {
        return target.toBucket == null || target.toBucket.equals(from.name()) ? from : client.bucket(target.toBucket);
    }

    private static String needed(String field, @Nullable String value) {
        if (value == null) {
            throw ApiException.badField(field, field + " is missing");
        }
        return value;
    }
}

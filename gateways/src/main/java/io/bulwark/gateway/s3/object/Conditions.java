package io.bulwark.gateway.s3.object;

import io.bulwark.client.Bucket;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.Precondition;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.call.EntityTags;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.request.Times;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Conditions that requests make about an object. */
public final class Conditions {
    private Conditions() {}

    /** Outcome of the conditions of a read. */
    enum Outcome {
        MET,
        NOT_MODIFIED,
        FAILED
    }

    /**
     * Judges the conditions of a read.
     *
     * @param prefix of the names of the headers: empty, or that of a copy's source
     */
    static Outcome judge(Call call, String prefix, ObjectInfo object) {
        String tag = EntityTags.of(object);
        Instant modified = Times.wholeSeconds(object.modified());
        Optional<String> match = tags(call, prefix + "if-match");
        Optional<String> noneMatch = tags(call, prefix + "if-none-match");
        if (match.isPresent()) {
            if (!EntityTags.isNamed(match.get(), tag)) {
                return Outcome.FAILED;
            }
        } else if (time(call, prefix + "if-unmodified-since")
                .filter(modified::isAfter)
                .isPresent()) {
            return Outcome.FAILED;
        }
        if (noneMatch.isPresent()) {
            return EntityTags.isNamedWeakly(noneMatch.get(), tag) ? Outcome.NOT_MODIFIED : Outcome.MET;
        }
        boolean unchanged = time(call, prefix + "if-modified-since")
                .filter(since -> !modified.isAfter(since))
                .isPresent();
        return unchanged ? Outcome.NOT_MODIFIED : Outcome.MET;
    }

    /** Refuses a copy whose source does not meet the conditions. */
    public static void requireSource(Call call, ObjectInfo source) {
        if (judge(call, "x-amz-copy-source-", source) != Outcome.MET) {
            throw failed();
        }
    }

    /**
     * Returns the condition of a write, which the replicas judge in the step in which the object appears. A named tag
     * stands for the version that has it now.
     */
    public static Precondition ofWrite(Call call) {
        if (call.header("if-unmodified-since").isPresent()
                || call.header("if-modified-since").isPresent()) {
            throw ErrorCode.NOT_IMPLEMENTED.because("A write has no conditions but If-Match and If-None-Match here.");
        }
        Optional<String> match = tags(call, "if-match");
        Optional<String> noneMatch = tags(call, "if-none-match");
        if (match.isEmpty() && noneMatch.isEmpty()) {
            return Precondition.NONE;
        }
        if (match.isPresent() && noneMatch.isPresent()) {
            throw ErrorCode.NOT_IMPLEMENTED.because("If-Match and If-None-Match cannot be combined.");
        }
        if (noneMatch.filter("*"::equals).isPresent()) {
            if (current(call.bucket(), call.key()).isPresent()) {
                throw failed();
            }
            return Precondition.IF_ABSENT;
        }
        Optional<ObjectInfo> current = current(call.bucket(), call.key());
        if (noneMatch.isPresent()) {
            if (current.filter(object -> EntityTags.isNamedWeakly(noneMatch.get(), EntityTags.of(object)))
                    .isPresent()) {
                throw failed();
            }
            return current.map(object -> Precondition.ifVersion(object.version()))
                    .orElse(Precondition.IF_ABSENT);
        }
        if (current.isEmpty()) {
            throw match.filter("*"::equals).isPresent()
                    ? failed()
                    : ErrorCode.NO_SUCH_KEY.because("The specified key does not exist.");
        }
        if (!EntityTags.isNamed(match.orElse(""), EntityTags.of(current.get()))) {
            throw failed();
        }
        return match.filter("*"::equals).isPresent()
                ? Precondition.IF_PRESENT
                : Precondition.ifVersion(current.get().version());
    }

    /**
     * Returns the condition of a deletion that names an entity tag, or {@code *}. The replicas judge it, so that nothing goes
     * that was put meanwhile.
     *
     * @param version 0 for the latest
     */
    static Precondition ofDelete(Bucket bucket, String key, long version, String match) {
        ObjectInfo found;
        try {
            found = bucket.head(key, version);
        } catch (NoSuchKeyException _) {
            throw failed();
        }
        if (!EntityTags.isNamed(match, EntityTags.of(found))) {
            throw failed();
        }
        return Precondition.ifVersion(found.version());
    }

    /**
     * Returns the entity tags of a condition. One that names none is refused: taken for no condition, it would let a request change
     * what it must not.
     */
    static Optional<String> tags(Call call, String header) {
        Optional<String> value = call.exchange().header(header).map(String::strip);
        boolean wrong = value.filter(text -> text.isEmpty()
                        || (!text.equals("*")
                                && List.of(text.split(",", -1)).stream()
                                        .map(String::strip)
                                        .anyMatch(tag -> tag.isEmpty() || tag.equals("*"))))
                .isPresent();
        if (wrong) {
            throw ErrorCode.INVALID_ARGUMENT.because(header + " is * or a list of entity tags.");
        }
        return value;
    }

    static S3Exception failed() {
        return ErrorCode.PRECONDITION_FAILED.because("At least one of the pre-conditions you specified did not hold");
    }

    private static Optional<ObjectInfo> current(Bucket bucket, String key) {
        try {
            return Optional.of(bucket.head(key));
        } catch (NoSuchKeyException _) {
            return Optional.empty();
        }
    }

    private static Optional<Instant> time(Call call, String header) {
        return call.header(header).flatMap(Times::ofHttp);
    }
}

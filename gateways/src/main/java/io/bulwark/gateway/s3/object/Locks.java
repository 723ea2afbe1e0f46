package io.bulwark.gateway.s3.object;

import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.request.Times;
import io.bulwark.gateway.s3.xml.XmlElement;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.Retention;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Retention and legal hold of versions as requests and responses have them. */
public final class Locks {
    private static final String MODE = "x-amz-object-lock-mode";
    private static final String UNTIL = "x-amz-object-lock-retain-until-date";
    private static final String HOLD = "x-amz-object-lock-legal-hold";

    private Locks() {}

    /** Returns the lock that the headers of a write ask for. */
    public static ObjectLock ofHeaders(Call call) {
        Optional<String> mode = call.header(MODE);
        Optional<String> until = call.header(UNTIL);
        if (mode.isPresent() != until.isPresent()) {
            throw ErrorCode.INVALID_ARGUMENT.because(MODE + " and " + UNTIL + " must both be supplied");
        }
        Retention retention = Retention.NONE;
        if (mode.isPresent()) {
            Retention.Mode known = mode(mode.get())
                    .orElseThrow(() -> ErrorCode.INVALID_ARGUMENT.because("Unknown wormMode directive."));
            Instant end = Times.ofIso(until.orElse(""))
                    .orElseThrow(() -> ErrorCode.INVALID_ARGUMENT.because(UNTIL + " is not a date"));
            retention = future(known, end);
        }
        boolean hold = call.header(HOLD).map(Locks::isOn).orElse(false);
        return new ObjectLock(retention, hold);
    }

    /** Reads a document of a retention. */
    static Retention ofDocument(XmlElement root) {
        Optional<String> mode = root.textOf("Mode");
        Optional<String> until = root.textOf("RetainUntilDate");
        if (mode.isEmpty() && until.isEmpty()) {
            return Retention.NONE;
        }
        Retention.Mode known = mode.flatMap(Locks::mode).orElseThrow(() -> XmlElement.malformed("a mode is unknown"));
        Instant end = until.flatMap(Times::ofIso).orElseThrow(() -> XmlElement.malformed("a date is none"));
        return future(known, end);
    }

    /** Returns the headers that tell of a lock. */
    static SortedMap<String, String> headers(ObjectLock lock) {
        SortedMap<String, String> headers = new TreeMap<>();
        if (!lock.retention().equals(Retention.NONE)) {
            headers.put(MODE, lock.retention().mode().name());
            headers.put(UNTIL, Times.iso(Instant.ofEpochMilli(lock.retention().untilMillis())));
        }
        if (lock.legalHold()) {
            headers.put(HOLD, "ON");
        }
        return headers;
    }

    /** Returns the mode of this name. */
    public static Optional<Retention.Mode> mode(String name) {
        return switch (name) {
            case "GOVERNANCE" -> Optional.of(Retention.Mode.GOVERNANCE);
            case "COMPLIANCE" -> Optional.of(Retention.Mode.COMPLIANCE);
            default -> Optional.empty();
        };
    }

    static boolean isOn(String status) {
        return switch (status) {
            case "ON" -> true;
            case "OFF" -> false;
            default -> throw XmlElement.malformed("a legal hold is ON or OFF");
        };
    }

    /** Returns the refusal in buckets that were made without object lock. */
    static S3Exception notConfigured() {
        return ErrorCode.INVALID_REQUEST.because("Bucket is missing Object Lock Configuration");
    }

    private static Retention future(Retention.Mode mode, Instant until) {
        if (!until.isAfter(Instant.now())) {
            throw ErrorCode.INVALID_ARGUMENT.because("The retain until date must be in the future!");
        }
        return new Retention(mode, until.toEpochMilli());
    }
}

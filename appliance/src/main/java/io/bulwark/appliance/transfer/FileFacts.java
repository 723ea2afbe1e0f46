package io.bulwark.appliance.transfer;

import io.bulwark.client.ObjectInfo;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Facts that the properties of an object keep of the file that it was: enough to give it back, and to see whether the file has changed since.
 * The properties have the names and the spelling of rclone's metadata on S3, so that both see each other's times.
 *
 * @param modified time of the content's last change; null if not known
 * @param changed time of the inode's last change, which no program can set; null if not known
 * @param mode permission bits; -1 if not known
 * @param sha256 of the content, in hexadecimal digits; empty if not known
 */
public record FileFacts(
        @Nullable Instant modified, @Nullable Instant changed, int mode, String sha256) {
    /** The time of modification, in seconds since 1970 with nine decimals, as rclone writes it. */
    public static final String MODIFIED = "x-amz-meta-mtime";

    /** The time of the inode's change, spelled like the time of modification. */
    public static final String CHANGED = "x-amz-meta-ctime";

    /** The permission bits, in octal digits. */
    public static final String MODE = "x-amz-meta-mode";

    /** SHA-256 of the content. */
    public static final String SHA256 = "x-amz-meta-sha256";

    /** All of them. */
    static final Set<String> NAMES = Set.of(MODIFIED, CHANGED, MODE, SHA256);

    private static final Pattern SECONDS = Pattern.compile("-?[0-9]{1,11}(?:\\.[0-9]{1,9})?");

    /** Permission bits, or the whole mode of a regular file. */
    private static final Pattern OCTAL = Pattern.compile("[0-7]{1,4}|0?10[0-7]{4}");

    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");
    private static final int PERMISSION_BITS = 0777;

    /** Coarser clocks of file systems, in nanoseconds: 100 ns, 1 us, 1 ms, 1 s, 2 s. */
    private static final long[] GRAINS = {100, 1_000, 1_000_000, 1_000_000_000, 2_000_000_000};

    /** Two changes within a tick of the kernel's clock may have the same time. */
    private static final long TICK_MILLIS = 20;

    private static final long COARSE_TICK_MILLIS = 2_000;

    /** Returns those of a file, or of the target of a link. The SHA-256 stays empty. */
    static FileFacts of(Path file) throws IOException {
        boolean unix = file.getFileSystem().supportedFileAttributeViews().contains("unix");
        Map<String, Object> all = Files.readAttributes(file, (unix ? "unix:ctime,mode," : "") + "lastModifiedTime");
        return new FileFacts(
                instant(all.get("lastModifiedTime")),
                instant(all.get("ctime")),
                all.get("mode") instanceof Integer mode ? mode & PERMISSION_BITS : -1,
                "");
    }

    /** Returns those that an object names. Others may have written them: what is not well-formed is not known. */
    public static FileFacts of(ObjectInfo object) {
        String mode = object.properties().getOrDefault(MODE, "");
        String digest = object.properties().getOrDefault(SHA256, "");
        return new FileFacts(
                parse(object.properties().getOrDefault(MODIFIED, "")),
                parse(object.properties().getOrDefault(CHANGED, "")),
                OCTAL.matcher(mode).matches() ? Integer.parseInt(mode, 8) & PERMISSION_BITS : -1,
                DIGEST.matcher(digest).matches() && !object.encrypted() ? digest : "");
    }

    FileFacts withSha256(String digest) {
        return new FileFacts(modified, changed, mode, digest);
    }

    FileFacts withoutChanged() {
        return new FileFacts(modified, null, mode, sha256);
    }

    /** The properties of an object that keep this. */
    public SortedMap<String, String> toMap() {
        SortedMap<String, String> properties = new TreeMap<>();
        if (modified != null) {
            properties.put(MODIFIED, text(modified));
        }
        if (changed != null) {
            properties.put(CHANGED, text(changed));
        }
        if (mode >= 0) {
            properties.put(MODE, String.format(Locale.ROOT, "%04o", mode));
        }
        if (!sha256.isEmpty()) {
            properties.put(SHA256, sha256);
        }
        return properties;
    }

    /** Returns the permissions, if they are known. */
    Optional<Set<PosixFilePermission>> permissions() {
        if (mode < 0) {
            return Optional.empty();
        }
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        PosixFilePermission[] all = PosixFilePermission.values();
        for (int i = 0; i < all.length; i++) {
            if ((mode >> (all.length - 1 - i) & 1) != 0) {
                permissions.add(all[i]);
            }
        }
        return Optional.of(permissions);
    }

    /** Returns whether a file with this time may have got the other one on a file system whose clock is coarser. */
    static boolean isSameTime(@Nullable Instant file, @Nullable Instant kept) {
        if (file == null || kept == null || file.equals(kept)) {
            return file != null && kept != null;
        }
        for (long grain : GRAINS) {
            if (file.equals(floor(file, grain)) && file.equals(floor(kept, grain))) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a change after that moment can still have the inode's time that is kept here. */
    boolean isYoungAt(Instant now) {
        Instant time = changed == null ? modified : changed;
        return time != null && now.isBefore(time.plusMillis(tickMillis()));
    }

    /** Returns how long two changes may have the same time. */
    long tickMillis() {
        Instant time = changed == null ? modified : changed;
        return time == null || time.equals(time.truncatedTo(ChronoUnit.SECONDS)) ? COARSE_TICK_MILLIS : TICK_MILLIS;
    }

    private static Instant floor(Instant time, long grainNanos) {
        long seconds = time.getEpochSecond();
        long nanos = time.getNano();
        return grainNanos > 1_000_000_000
                ? Instant.ofEpochSecond(Math.floorDiv(seconds, 2) * 2)
                : Instant.ofEpochSecond(seconds, nanos - nanos % grainNanos);
    }

    private static @Nullable Instant instant(@Nullable Object time) {
        return time instanceof FileTime known ? known.toInstant() : null;
    }

    private static String text(Instant time) {
        return BigDecimal.valueOf(time.getEpochSecond())
                .add(BigDecimal.valueOf(time.getNano(), 9))
                .setScale(9)
                .toPlainString();
    }

    private static @Nullable Instant parse(String text) {
        if (!SECONDS.matcher(text).matches()) {
            return null;
        }
        BigDecimal seconds = new BigDecimal(text);
        long whole = seconds.setScale(0, RoundingMode.FLOOR).longValueExact();
        return Instant.ofEpochSecond(
                whole,
                seconds.subtract(BigDecimal.valueOf(whole)).movePointRight(9).longValueExact());
    }
}

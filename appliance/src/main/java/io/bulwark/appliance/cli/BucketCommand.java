package io.bulwark.appliance.cli;

import io.bulwark.client.Bucket;
import io.bulwark.client.BucketInfo;
import io.bulwark.client.Bulwark;
import io.bulwark.client.text.Quantity;
import io.bulwark.protocol.metadata.BucketChange;
import io.bulwark.protocol.metadata.DefaultRetention;
import io.bulwark.protocol.metadata.Versioning;
import io.bulwark.protocol.object.Retention;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bucket show|set}. */
@Command(name = "bucket", description = "Show or change the settings of a bucket: versioning, quota and object lock.")
final class BucketCommand implements Runnable {
    private static final Pattern RETENTION = Pattern.compile("(governance|compliance):([0-9]{1,5})([dy])");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** State of versioning that a person names. */
    enum VersioningChoice {
        KEEP(Versioning.KEEP_ALL),
        SUSPEND(Versioning.SUSPENDED);

        private final Versioning state;

        VersioningChoice(Versioning state) {
            this.state = state;
        }
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "bucket needs one of show, set");
    }

    @Command(name = "show", description = "Show the settings of a bucket.")
    int show(@Mixin ClusterAccess access, @Parameters(paramLabel = "BUCKET") String name) {
        try (Bulwark client = access.connect()) {
            print(access, client.bucket(name));
        }
        return 0;
    }

    @Command(name = "set", description = "Change settings of a bucket; what is not named stays.")
    int set(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "BUCKET") String name,
            @Option(
                            names = "--versioning",
                            paramLabel = "keep|suspend",
                            description = "Keep all versions, or from now on only the last of the new ones.")
                    @Nullable
                    VersioningChoice versioning,
            @Option(
                            names = "--quota",
                            paramLabel = "SIZE",
                            description = "Quota for the bytes of all versions, such as 500GiB; 0 for none.")
                    @Nullable
                    String quota,
            @Option(
                            names = "--object-lock",
                            description = "Let versions be locked, permanently; needs versioning keep.")
                    boolean objectLock,
            @Option(
                            names = "--retention",
                            paramLabel = "MODE:TIME",
                            description = "Default retention of new versions, such as governance:30d, compliance:1y "
                                    + "or none; needs object lock.")
                    @Nullable
                    String retention) {
        BucketChange change = BucketChange.NONE;
        change = versioning == null ? change : change.withVersioning(versioning.state);
        change = quota == null ? change : change.withQuota(bytes(quota));
        change = objectLock ? change.withObjectLock() : change;
        change = retention == null ? change : change.withRetention(retention(retention));
        if (change.equals(BucketChange.NONE)) {
            throw new CommandFailure(CommandFailure.USAGE, "name at least one setting to change");
        }
        try (Bulwark client = access.connect()) {
            Bucket bucket = client.bucket(name);
            bucket.update(change);
            print(access, bucket);
        }
        return 0;
    }

    private static long bytes(String quota) {
        try {
            return Quantity.parseBytes(quota);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, "--quota: " + e.getMessage());
        }
    }

    static DefaultRetention retention(String text) {
        if (text.equals("none")) {
            return DefaultRetention.NONE;
        }
        Matcher parts = RETENTION.matcher(text);
        if (!parts.matches()) {
            throw new CommandFailure(
                    CommandFailure.USAGE, "--retention is none, or a mode and a time such as governance:30d");
        }
        Retention.Mode mode = Retention.Mode.valueOf(parts.group(1).toUpperCase(Locale.ROOT));
        try {
            return new DefaultRetention(
                    mode, Integer.parseInt(parts.group(2)), parts.group(3).equals("y"));
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, "--retention is 1 day to 100 years");
        }
    }

    private static void print(ClusterAccess access, Bucket bucket) {
        BucketInfo info = bucket.info();
        DefaultRetention retention = info.settings().retention();
        SettingsView json = new SettingsView(
                info.name(),
                info.volume(),
                word(info.versioning()),
                info.quotaBytes(),
                info.settings().objectLock(),
                text(retention),
                bucket.settings());
        String text = String.join(
                System.lineSeparator(),
                "bucket:       " + info.name(),
                "volume:       " + info.volume(),
                "versioning:   " + word(info.versioning()),
                "quota:        " + (info.quotaBytes() == 0 ? "none" : Text.bytes(info.quotaBytes())),
                "object lock:  " + (info.settings().objectLock() ? "yes" : "no"),
                "retention:    " + text(retention),
                "documents:    " + (bucket.settings().isEmpty() ? "none" : String.join(", ", bucket.settings())));
        access.global().print(json, text);
    }

    private static String word(Versioning state) {
        return switch (state) {
            case LATEST_ONLY -> "off";
            case KEEP_ALL -> "keep";
            case SUSPENDED -> "suspended";
        };
    }

    static String text(DefaultRetention retention) {
        return retention.equals(DefaultRetention.NONE)
                ? "none"
                : retention.mode().name().toLowerCase(Locale.ROOT) + ":" + retention.count()
                        + (retention.years() ? "y" : "d");
    }

    private record SettingsView(
            String bucket,
            String volume,
            String versioning,
            long quotaBytes,
            boolean objectLock,
            String retention,
            List<String> documents) {}
}

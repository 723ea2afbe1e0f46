package io.bulwark.appliance.cli;

import io.bulwark.client.Bulwark;
import io.bulwark.client.LockInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bulwark lock}: locks of clients on parts of the namespace. */
@Command(
        name = "lock",
        description = {
            "Show the locks of clients on parts of buckets, or take them away: list, release.",
            "Clients lock what they use alone, to change it in one round trip. Nobody waits long for them."
        })
final class LockCommand implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(Objects.requireNonNull(spec).commandLine(), "lock needs one of list, release");
    }

    @Command(name = "list", description = "List the locks: all of them for administrators, else your own.")
    int list(@Mixin ClusterAccess access) {
        List<LockInfo> locks;
        try (Bulwark client = access.connect()) {
            locks = client.locks().list();
        }
        if (access.global().json()) {
            GlobalOptions.printJson(locks.stream().map(LockView::of).toList());
        } else if (locks.isEmpty()) {
            System.out.println("No client holds a lock.");
        } else {
            List<List<String>> rows = new ArrayList<>();
            rows.add(List.of("SUBTREE", "HOLDER", "SESSION", "HELD FOR", "STATE"));
            for (LockInfo lock : locks) {
                rows.add(List.of(
                        lock.bucket() + "/" + lock.prefix(),
                        lock.holder().toString(),
                        Long.toString(lock.session()),
                        Text.duration(lock.age().toMillis()),
                        lock.closing()
                                .map(reason -> "closing, " + reason.name().toLowerCase(Locale.ROOT))
                                .orElse("held")));
            }
            System.out.println(Text.table(rows));
        }
        return 0;
    }

    @Command(
            name = "release",
            description = "Take the locks on a part of a bucket away from their holders; completed operations stay.")
    int release(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "BUCKET[/PREFIX]", description = "Part of a bucket.") String part) {
        int slash = part.indexOf('/');
        String bucket = slash < 0 ? part : part.substring(0, slash);
        String prefix = slash < 0 ? "" : part.substring(slash + 1);
        try (Bulwark client = access.connect()) {
            client.locks().release(bucket, prefix);
        }
        access.global().print(new ReleasedView(bucket, prefix, true), part + " is being unlocked.");
        return 0;
    }

    private record ReleasedView(String bucket, String prefix, boolean released) {}

    private record LockView(String bucket, String prefix, String holder, long session, long ageMillis, String closing) {
        static LockView of(LockInfo lock) {
            return new LockView(
                    lock.bucket(),
                    lock.prefix(),
                    lock.holder().toString(),
                    lock.session(),
                    lock.age().toMillis(),
                    lock.closing()
                            .map(reason -> reason.name().toLowerCase(Locale.ROOT))
                            .orElse(""));
        }
    }
}

package io.bulwark.appliance.cli;

import io.bulwark.client.AccessKeys;
import io.bulwark.client.Bulwark;
import io.bulwark.protocol.metadata.Webhook;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bulwark webhook}. */
@Command(
        name = "webhook",
        description = {
            "Create, list, change and remove the webhooks that S3 gateways notify of changes.",
            "Owners of buckets choose among them with PutBucketNotificationConfiguration, as arn:bulwark:sqs:::NAME."
        })
final class WebhookCommand implements Runnable {
    private static final String NAME_DESCRIPTION = "Name of the webhook.";
    private static final String URL_DESCRIPTION =
            "Address that the gateways post to: https://HOST... or http://HOST...";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "webhook needs one of create, list, change, rotate, remove");
    }

    @Command(
            name = "create",
            description = {
                "Create a webhook, and print its secret: it is shown once.",
                "The receiver checks the header x-bulwark-signature with it."
            })
    int create(
            @Mixin ClusterAccess access,
            @Parameters(index = "0", paramLabel = "NAME", description = NAME_DESCRIPTION) String name,
            @Parameters(index = "1", paramLabel = "URL", description = URL_DESCRIPTION) String url) {
        try (Bulwark client = access.connect()) {
            print(access, name, client.webhooks().create(name, url), "Webhook " + name + " is created.");
        }
        return 0;
    }

    @Command(name = "list", description = "List the webhooks, never their secrets.")
    int list(@Mixin ClusterAccess access) {
        List<Webhook> webhooks;
        try (Bulwark client = access.connect()) {
            webhooks = client.webhooks().list();
        }
        if (access.global().json()) {
            GlobalOptions.printJson(webhooks);
            return 0;
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("NAME", "URL", "ACCESS KEY"));
        webhooks.forEach(webhook -> rows.add(List.of(webhook.name(), webhook.url(), webhook.accessKey())));
        System.out.println(Text.table(rows));
        return 0;
    }

    @Command(name = "change", description = "Give a webhook another URL; its secret stays.")
    int change(
            @Mixin ClusterAccess access,
            @Parameters(index = "0", paramLabel = "NAME", description = NAME_DESCRIPTION) String name,
            @Parameters(index = "1", paramLabel = "URL", description = URL_DESCRIPTION) String url) {
        try (Bulwark client = access.connect()) {
            client.webhooks().change(name, url);
        }
        access.global().print(new ChangedView(name, url), "Webhook " + name + " is at " + url + ".");
        return 0;
    }

    @Command(name = "rotate", description = "Give a webhook another secret, and print it: it is shown once.")
    int rotate(
            @Mixin ClusterAccess access,
            @Parameters(index = "0", paramLabel = "NAME", description = NAME_DESCRIPTION) String name,
            @Option(
                            names = "--overlap",
                            paramLabel = "TIME",
                            defaultValue = "24h",
                            description = "Time after which the old access key ends (default: ${DEFAULT-VALUE}).")
                    String overlap) {
        Duration both = PrincipalCommand.time("--overlap", overlap);
        try (Bulwark client = access.connect()) {
            print(access, name, client.webhooks().rotate(name, both), "Webhook " + name + " has another secret.");
        }
        return 0;
    }

    @Command(name = "remove", description = "Remove a webhook; events for it wait in their buckets.")
    int remove(
            @Mixin ClusterAccess access,
            @Parameters(index = "0", paramLabel = "NAME", description = NAME_DESCRIPTION) String name) {
        try (Bulwark client = access.connect()) {
            client.webhooks().remove(name);
        }
        access.global().print(new RemovedView(name, true), "Webhook " + name + " is removed.");
        return 0;
    }

    private static void print(ClusterAccess access, String name, AccessKeys.Issued issued, String first) {
        String arn = Webhook.QUEUE_PREFIX + name;
        String key = issued.key().id();
        access.global()
                .print(
                        new IssuedView(name, arn, key, issued.secret()),
                        first + " Its secret is shown here and nowhere else.\n\nQueue of a notification"
                                + " configuration: " + arn + "\nx-bulwark-key: " + key + "\nsecret: "
                                + issued.secret());
    }

    private record IssuedView(String name, String queue, String accessKey, String secret) {}

    private record ChangedView(String name, String url) {}

    private record RemovedView(String name, boolean removed) {}
}

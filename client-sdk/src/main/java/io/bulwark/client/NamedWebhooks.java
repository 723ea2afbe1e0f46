package io.bulwark.client;

import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Webhook;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The webhooks in the replicated metadata. */
final class NamedWebhooks implements Webhooks {
    private final BulwarkClient client;
    private final Principals principals;
    private final AccessKeys accessKeys;

    NamedWebhooks(BulwarkClient client, Principals principals, AccessKeys accessKeys) {
        this.client = client;
        this.principals = principals;
        this.accessKeys = accessKeys;
    }

    @Override
    public List<Webhook> list() {
        return client.query(Reply.WebhookList.class, new Query.ListWebhooks(), Subject.NONE, BulwarkClient.noDeadline())
                .webhooks();
    }

    @Override
    public AccessKeys.Issued create(String name, String url) {
        requireUrl(url);
        if (find(name).isPresent()) {
            throw new InvalidRequestException("a webhook of this name exists: " + name, Subject.NONE);
        }
        if (accessKeys.gateways().doors().isEmpty()) {
            throw new InvalidRequestException(
                    "no gateway is named yet, so nobody could call a webhook; `bulwark s3 enable` names one",
                    Subject.NONE);
        }
        // A client with no rights: the key signs notifications and opens nothing.
        PrincipalId signer = principals.addNextWithoutKey();
        try {
            AccessKeys.Issued issued = accessKeys.create(
                    AccessKeySpec.of("webhook " + name).withPerson(signer).withRights(AccessKeySpec.READ));
            execute(new Command.SetWebhook(new Webhook(name, url, issued.key().id())));
            return issued;
        } catch (BulwarkException e) {
            execute(new Command.RevokePrincipal(signer));
            throw e;
        }
    }

    private Optional<Webhook> find(String name) {
        return list().stream().filter(webhook -> webhook.name().equals(name)).findFirst();
    }

    private Webhook existing(String name) {
        return find(name).orElseThrow(() -> new InvalidRequestException("there is no webhook " + name, Subject.NONE));
    }

    @Override
    public void change(String name, String url) {
        requireUrl(url);
        execute(new Command.SetWebhook(new Webhook(name, url, existing(name).accessKey())));
    }

    @Override
    public AccessKeys.Issued rotate(String name, Duration overlap) {
        Webhook webhook = existing(name);
        AccessKeys.Issued issued = accessKeys.rotate(webhook.accessKey(), overlap);
        execute(new Command.SetWebhook(
                new Webhook(name, webhook.url(), issued.key().id())));
        return issued;
    }

    @Override
    public void remove(String name) {
        Webhook webhook = existing(name);
        execute(new Command.RemoveWebhook(name));
        Optional<PrincipalId> signer =
                accessKeys.find(webhook.accessKey()).map(entry -> entry.key().person());
        // Its access keys end with it, those of earlier rotations, too.
        signer.ifPresent(person -> execute(new Command.RevokePrincipal(person)));
    }

    private static void requireUrl(String url) {
        Webhook.problemOfUrl(url).ifPresent(problem -> {
            throw new InvalidRequestException(problem + ": " + url, Subject.NONE);
        });
    }

    private void execute(Command command) {
        client.execute(Reply.Done.class, command, Subject.NONE);
        client.learn();
    }
}

package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Webhooks that operators have named. */
final class Webhooks {
    private final Tables tables;

    Webhooks(Tables tables) {
        this.tables = tables;
    }

    void set(Webhook webhook, PrincipalId by) {
        webhook.problem().ifPresent(problem -> {
            throw new CommandRefusal(MetadataError.BAD_ARGUMENT, problem);
        });
        CommandRefusal.refuseUnless(
                tables.accessKeys.contains(webhook.accessKey()),
                MetadataError.BAD_ARGUMENT,
                "there is no access key " + webhook.accessKey());
        Optional<Webhook> before = tables.webhooks.get(webhook.name());
        CommandRefusal.refuseUnless(
                before.isPresent() || all().size() < Webhook.COUNT_MAX,
                MetadataError.LIMIT_REACHED,
                "there are " + Webhook.COUNT_MAX + " webhooks already");
        tables.webhooks.put(webhook.name(), webhook);
        tables.weight.add(by, Weight.KEY_BYTES + tables.webhooks.encode(webhook).length());
    }

    void remove(String name) {
        Names.problemOfName(name).ifPresent(problem -> {
            throw new CommandRefusal(MetadataError.BAD_NAME, problem);
        });
        CommandRefusal.refuseUnless(
                tables.webhooks.contains(name), MetadataError.BAD_ARGUMENT, "there is no webhook " + name);
        tables.webhooks.remove(name);
    }

    Reply.WebhookList list() {
        return new Reply.WebhookList(all());
    }

    private List<Webhook> all() {
        List<Webhook> all = new ArrayList<>();
        tables.webhooks.all().forEach(entry -> all.add(entry.value()));
        return all;
    }
}

package io.bulwark.console.webhook;

import io.bulwark.client.AccessKeys;
import io.bulwark.client.Webhooks;
import io.bulwark.console.access.SignedIn;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.http.EntityTag;
import io.bulwark.protocol.metadata.Names;
import io.bulwark.protocol.metadata.Webhook;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** The webhooks of the cluster, and all that the signed-in person may do with them. */
@Component
class WebhookDirectory {
    static final int HOURS_MAX = 24 * 365;

    private final SignedIn signedIn;

    WebhookDirectory(SignedIn signedIn) {
        this.signedIn = signedIn;
    }

    List<WebhookView> list() {
        return webhooks().list().stream().map(WebhookView::of).toList();
    }

    /**
     * Finds a webhook.
     *
     * @throws ApiException if there is none
     */
    WebhookView find(String name) {
        return named(name).orElseThrow(() -> ApiException.notFound("there is no webhook of this name"));
    }

    WebhookView.Issued create(@Nullable String name, @Nullable String url) {
        String wanted = name == null ? "" : name.strip();
        Names.problemOfName(wanted).ifPresent(problem -> {
            throw ApiException.badField("name", problem);
        });
        String address = checked(url);
        if (named(wanted).isPresent()) {
            throw ApiException.conflict("there is a webhook of this name");
        }
        if (signedIn.client().accessKeys().gateways().doors().isEmpty()) {
            throw ApiException.conflict("no gateway is named, so nobody would call it: `bulwark s3 enable`");
        }
        return shown(wanted, webhooks().create(wanted, address));
    }

    WebhookView change(String name, @Nullable String url, @Nullable String ifMatch) {
        String address = checked(url);
        requireUnchanged(name, ifMatch);
        webhooks().change(name, address);
        return find(name);
    }

    /** Gives a webhook another secret; its old access key ends some hours later. */
    WebhookView.Issued rotate(String name, int overlapHours) {
        if (overlapHours < 0 || overlapHours > HOURS_MAX) {
            throw ApiException.badField("hours", "hours is a number from 0 to " + HOURS_MAX);
        }
        return shown(name, webhooks().rotate(find(name).name(), Duration.ofHours(overlapHours)));
    }

    void remove(String name, @Nullable String ifMatch) {
        requireUnchanged(name, ifMatch);
        webhooks().remove(name);
    }

    private Optional<WebhookView> named(String name) {
        return list().stream().filter(each -> each.name().equals(name)).findFirst();
    }

    private WebhookView.Issued shown(String name, AccessKeys.Issued issued) {
        return new WebhookView.Issued(find(name), issued.secret());
    }

    private void requireUnchanged(String name, @Nullable String ifMatch) {
        EntityTag.of(find(name)).require(ifMatch, "the webhook " + name);
    }

    private static String checked(@Nullable String url) {
        String address = url == null ? "" : url.strip();
        Webhook.problemOfUrl(address).ifPresent(problem -> {
            throw ApiException.badField("url", problem);
        });
        return address;
    }

    private Webhooks webhooks() {
        return signedIn.client().webhooks();
    }
}

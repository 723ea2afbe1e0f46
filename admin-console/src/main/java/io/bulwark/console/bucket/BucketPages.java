package io.bulwark.console.bucket;

import io.bulwark.client.BucketSpec;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.text.Quantity;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.http.EntityTag;
import io.bulwark.console.http.Failures;
import io.bulwark.console.page.Redirection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;

/** Pages of buckets, except the browser of their objects. */
@Controller
@RequestMapping("/buckets")
class BucketPages {
    private static final int DAYS_OF_YEAR = 365;
    private static final int UNIT_BITS = 10;
    private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB", "TiB", "PiB");

    private final Buckets buckets;

    BucketPages(Buckets buckets) {
        this.buckets = buckets;
    }

    @GetMapping
    String list(Model model) {
        model.addAttribute("buckets", buckets.list());
        return "bucket/list";
    }

    @GetMapping("/-new") // No name begins so.
    ModelAndView form() {
        return form(new Form("", BucketSpec.DEFAULT_VOLUME, false, "", new Lock(false, "none", "")));
    }

    @PostMapping
    ModelAndView create(
            @RequestParam String name,
            @RequestParam String volume,
            @RequestParam(defaultValue = "false") boolean keepVersions,
            @RequestParam(defaultValue = "") String quotaBytes,
            @ModelAttribute Lock lock) {
        Form typed = new Form(name.trim(), volume, keepVersions, quotaBytes, lock);
        try {
            buckets.create(typed.wanted());
            return new ModelAndView(Redirection.to("/buckets/{bucket}", typed.name));
        } catch (ApiException e) {
            return refused(form(typed), e.status(), e.detail());
        } catch (BulwarkException e) {
            return refused(form(typed), Failures.statusOf(e), String.valueOf(e.getMessage()));
        }
    }

    @GetMapping("/{bucket}/settings")
    ModelAndView settings(@PathVariable String bucket) {
        BucketSettingsView settings = buckets.settings(bucket);
        RetentionView retention = settings.retention();
        String quota = settings.quotaBytes() == 0 ? "" : exact(settings.quotaBytes());
        ModelAndView page = new ModelAndView("bucket/settings");
        page.addObject("bucket", buckets.find(bucket));
        page.addObject("settings", settings);
        page.addObject("tag", EntityTag.of(settings).text());
        page.addObject("quota", quota);
        page.addObject("lock", Lock.of(settings.objectLock(), retention));
        return page;
    }

    /** @param tag of the settings that the page showed */
    @PostMapping("/{bucket}/settings")
    ModelAndView change(
            @PathVariable String bucket,
            @RequestParam String tag,
            @RequestParam(defaultValue = "") String versioning,
            @RequestParam(defaultValue = "") String quotaBytes,
            @ModelAttribute Lock lock) {
        try {
            BucketSettingsView before = buckets.settings(bucket);
            Long quota = quota(quotaBytes);
            buckets.change(bucket, difference(before, versioning, quota == null ? 0 : quota, lock), tag);
        } catch (ApiException e) {
            return refused(settings(bucket), e.status(), e.detail());
        } catch (BulwarkException e) {
            return refused(settings(bucket), Failures.statusOf(e), String.valueOf(e.getMessage()));
        }
        return new ModelAndView(Redirection.to("/buckets/{bucket}/settings", bucket));
    }

    @PostMapping("/{bucket}/delete")
    ModelAndView delete(@PathVariable String bucket, @RequestParam String confirmation) {
        if (!confirmation.equals(bucket)) {
            throw ApiException.badField(
                    "confirmation", "the name that was typed is not " + bucket + "; nothing was deleted");
        }
        buckets.delete(bucket, null);
        return new ModelAndView(Redirection.to("/buckets"));
    }

    @PostMapping("/{bucket}/verify")
    ModelAndView verify(
            @PathVariable String bucket,
            @RequestParam(required = false) @Nullable String key,
            @RequestParam(required = false) @Nullable String prefix,
            @RequestParam(defaultValue = "false") boolean salvage) {
        buckets.verify(bucket, new Buckets.Verification(key, prefix, salvage));
        return new ModelAndView(Redirection.to("/jobs"));
    }

    /** Returns the change of what differs: each setting needs a right of its own. */
    private static BucketSettingsChange difference(
            BucketSettingsView before, String versioning, long quotaBytes, Lock lock) {
        RetentionView retention = lock.retentionView();
        boolean sameRetention = retention.equals(
                Lock.of(before.objectLock(), before.retention()).retentionView());
        return new BucketSettingsChange(
                versioning.isEmpty() || versioning.equals(before.versioning()) ? null : versioning,
                quotaBytes == before.quotaBytes() ? null : quotaBytes,
                (lock.isOn() && !before.objectLock()) ? true : null,
                sameRetention ? null : retention);
    }

    /**
     * Fields about object lock, as they were typed.
     *
     * @param retention mode
     * @param retentionDays of the mode
     */
    public record Lock(
            @Nullable Boolean objectLock,
            @Nullable String retention,
            @Nullable String retentionDays) {
        static Lock of(boolean objectLock, RetentionView retention) {
            Integer years = retention.years();
            Integer days = years == null ? retention.days() : Integer.valueOf(years * DAYS_OF_YEAR);
            return new Lock(objectLock, retention.mode(), days == null ? "" : days.toString());
        }

        public boolean isOn() {
            return Boolean.TRUE.equals(objectLock);
        }

        RetentionView retentionView() {
            if (retention == null || retention.isEmpty() || retention.equals("none")) {
                return new RetentionView("none", null, null);
            }
            String days = retentionDays == null ? "" : retentionDays.strip();
            if (!days.matches("[0-9]{1,5}")) {
                throw ApiException.badField("retentionDays", "a default retention is a number of days");
            }
            return new RetentionView(retention, Integer.valueOf(days), null);
        }
    }

    /** A new bucket, as it was typed. */
    private record Form(String name, String volume, boolean keepVersions, String quotaBytes, Lock lock) {
        Buckets.Creation wanted() {
            return new Buckets.Creation(
                    name,
                    volume,
                    keepVersions || lock.isOn(),
                    quota(quotaBytes),
                    lock.isOn(),
                    lock.isOn() ? lock.retentionView() : null);
        }
    }

    private ModelAndView form(Form typed) {
        ModelAndView page = new ModelAndView("bucket/new");
        page.addObject("name", typed.name);
        page.addObject("volume", typed.volume);
        page.addObject("keepVersions", typed.keepVersions);
        page.addObject("quotaBytes", typed.quotaBytes);
        page.addObject("lock", typed.lock);
        page.addObject("volumes", buckets.volumes());
        return page;
    }

    /** Writes a size so that reading it gives the same number. */
    private static String exact(long bytes) {
        int unit = Math.min(Long.numberOfTrailingZeros(bytes) / UNIT_BITS, UNITS.size() - 1);
        return (bytes >> (UNIT_BITS * unit)) + " " + UNITS.get(unit);
    }

    private static ModelAndView refused(ModelAndView page, HttpStatus status, String problem) {
        page.setStatus(status);
        page.addObject("problem", problem);
        return page;
    }

    private static @Nullable Long quota(String typed) {
        if (typed.isBlank()) {
            return null;
        }
        try {
            return Quantity.parseBytes(typed);
        } catch (IllegalArgumentException e) {
            throw ApiException.badField("quotaBytes", "quota: " + e.getMessage());
        }
    }
}

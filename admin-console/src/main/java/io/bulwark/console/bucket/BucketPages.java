package io.bulwark.console.bucket;

import io.bulwark.client.BucketSpec;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.text.Quantity;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.http.Failures;
import io.bulwark.console.page.Redirection;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;

/** Pages of buckets, except the browser of their objects. */
@Controller
@RequestMapping("/buckets")
class BucketPages {
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
        return form("", BucketSpec.DEFAULT_VOLUME, false, "");
    }

    @PostMapping
    ModelAndView create(
            @RequestParam String name,
            @RequestParam String volume,
            @RequestParam(defaultValue = "false") boolean keepVersions,
            @RequestParam(defaultValue = "") String quotaBytes) {
        try {
            buckets.create(new Buckets.Creation(name.trim(), volume, keepVersions, quota(quotaBytes)));
            return new ModelAndView(Redirection.to("/buckets/{bucket}", name.trim()));
        } catch (ApiException e) {
            return refused(form(name, volume, keepVersions, quotaBytes), e.status(), e.detail());
        } catch (BulwarkException e) {
            return refused(
                    form(name, volume, keepVersions, quotaBytes), Failures.statusOf(e), String.valueOf(e.getMessage()));
        }
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

    private ModelAndView form(String name, String volume, boolean keepVersions, String quotaBytes) {
        ModelAndView page = new ModelAndView("bucket/new");
        page.addObject("name", name);
        page.addObject("volume", volume);
        page.addObject("keepVersions", keepVersions);
        page.addObject("quotaBytes", quotaBytes);
        page.addObject("volumes", buckets.volumes());
        return page;
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

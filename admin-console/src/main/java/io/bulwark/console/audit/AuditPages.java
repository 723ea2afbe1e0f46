package io.bulwark.console.audit;

import io.bulwark.console.http.Page;
import io.bulwark.console.job.Job;
import io.bulwark.console.job.Jobs;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Pages of the audit log. */
@Controller
@RequestMapping("/audit")
class AuditPages {
    private static final int SHOWN = 100;
    private static final String VERIFICATION = "audit/audit :: verification";

    private final AuditTrail trail;
    private final Jobs jobs;

    AuditPages(AuditTrail trail, Jobs jobs) {
        this.trail = trail;
        this.jobs = jobs;
    }

    @GetMapping
    String list(
            @RequestParam(required = false) @Nullable String by,
            @RequestParam(required = false) @Nullable String cursor,
            Model model) {
        Page<AuditView> page = trail.page(by, SHOWN, cursor);
        model.addAttribute("page", page);
        model.addAttribute("by", by == null ? "" : by);
        model.addAttribute("first", cursor == null);
        model.addAttribute("last", trail.last().orElse(null));
        return "audit/audit";
    }

    @PostMapping("/verifications")
    String verify(@RequestParam(required = false) @Nullable String head, Model model) {
        return show(trail.verify(head), model);
    }

    @GetMapping("/verifications/{job}")
    String verification(@PathVariable long job, Model model) {
        return show(jobs.find(job), model);
    }

    private String show(Job job, Model model) {
        model.addAttribute("job", job.view());
        model.addAttribute("result", trail.results().get(job.id()));
        return VERIFICATION;
    }
}

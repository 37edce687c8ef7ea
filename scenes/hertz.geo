// Half a ball of 50 mm radius, standing on its flat face, fine at the pole: n elements over the
// radius of contact a = sqrt(R d) at d = R/50, and coarser by the distance from there. Metres.
// tools/make_hertz.sh makes the meshes of scenes/hertz.yaml from this.
SetFactory("OpenCASCADE");
DefineConstant[n = 3];
R = 0.05;
a = R * Sqrt(1/50);
Sphere(1) = {0, 0, 0, R, 0, Pi/2, 2*Pi};
Physical Volume("ball") = {1};
Field[1] = MathEval;
Field[1].F = Sprintf("(%g + Max(Sqrt(x*x + y*y + (z-%g)*(z-%g)) - %g, 0)) / %g", a, R, R, 1.5*a, n);
Background Field = 1;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
Mesh.MeshSizeFromCurvature = 0;
Mesh.Optimize = 1;
Mesh.OptimizeNetgen = 1;
